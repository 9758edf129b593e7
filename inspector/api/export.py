"""How a request that carries spans is processed, over HTTP or gRPC."""

from concurrent.futures import Future
from functools import partial

from inspector.api.errors import ExportFailed
from inspector.ingest import Intake, IntakeFull, Receipt
from inspector.otlp import Encoding, decode_request, export_response


def deliver(intake: Intake, body: bytes, encoding: Encoding, *, gzipped: bool = False) -> Future[Receipt]:
    """Queue a request. The future ends once its spans are committed, or with the StoreError that prevented it.

    Raises:
        ExportFailed: Too much is waiting already.
    """
    try:
        return intake.deliver(partial(decode_request, body, encoding, gzipped=gzipped), len(body))
    except IntakeFull as error:
        raise ExportFailed(503, str(error)) from error


def response_to(receipt: Receipt, encoding: Encoding) -> bytes:
    """Encode the answer to a request that was accepted: fully, or except for the spans that the answer counts.

    Raises:
        ExportFailed: Nothing was accepted.
    """
    if receipt.malformed is None:
        return export_response(receipt.rejected, encoding)
    if receipt.too_large:
        raise ExportFailed(413, f"send less at a time: {receipt.malformed}")
    raise ExportFailed(400, f"not an ExportTraceServiceRequest: {receipt.malformed}")
