# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "opentelemetry-sdk==1.45.2",
#   "openai==2.54.0",
#   "httpx",
#   "opentelemetry-instrumentation-openai-v2==2.3b0",
#   "wrapt<2",
# ]
# ///
"""The program of ``genai_logs``, whose content is in logs of the earlier kind: one of each message."""

import os

os.environ |= {
    "OTEL_SEMCONV_STABILITY_OPT_IN": "",
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true",
}

import genai_logs  # noqa: F401 - it runs when it is imported
