"""The token formats that services document or that secret scanners have published: one row a format.

Services whose keys are nothing but letters and digits have no row: those keys are known by the name before them only
(``MISTRAL_API_KEY=…``). Bodies are stated shorter than they are, since vendors lengthen their keys.

Sources: ``gitleaks`` is https://github.com/gitleaks/gitleaks (``config/gitleaks.toml``, July 2026) with the id of its
rule, ``trufflehog`` is https://github.com/trufflesecurity/trufflehog (``pkg/detectors``, August 2026) with the
directory, ``noseyparker`` is https://github.com/praetorian-inc/noseyparker, ``keyhog`` is
https://github.com/santhsecurity/keyhog (``detectors``, May 2026), ``kingfisher`` is
https://github.com/mongodb/kingfisher (``data/rules``, June 2025); an address is a page of the vendor's, or of a
scanner's. A page of a vendor's often shows how a key begins, and not how long it is.
``observed`` is how keys of the service look, with no page found that says so: such a row rests on observation alone.
"""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple


class Format(NamedTuple):
    """One kind of token."""

    service: str
    """What a placeholder calls it."""
    prefixes: str
    """What it begins with, one or several, apart by spaces."""
    body: str
    """A regular expression of what follows."""
    source: str
    glued: bool = False
    """Whether it counts behind a letter or digit too, its prefix being part of no word."""


OBSERVED: Final = "observed"

_HEX: Final = "[0-9a-fA-F]"
_UUID: Final = f"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}"
_DIGIT: Final = "(?=[A-Za-z_-]{0,80}[0-9])"
"""Somewhere in it is a digit, which tells ``sk-learn-compatible-estimators`` from a key."""
_MIXED: Final = "(?=[a-z0-9_-]{0,80}[A-Z]|[A-Za-z_-]{0,80}[0-9])"

FORMATS: Final[tuple[Format, ...]] = (
    # Models
    Format("anthropic", "sk-ant-", r"[\w-]{9,}", "gitleaks anthropic-api-key", glued=True),
    Format("openrouter", "sk-or-", r"[\w-]{16,}", "trufflehog openrouter"),
    Format("langfuse", "sk-lf-", r"[\w-]{16,}", "https://langfuse.com/faq/all/lost-secret-key"),
    Format("openai", "sk-", r"(?!ant-|or-|lf-)" + _DIGIT + r"[\w-]{16,}", "gitleaks openai-api-key"),
    Format("google", "AIza", r"[\w-]{30,}", "gitleaks gcp-api-key", glued=True),
    Format("google", "AQ.", _MIXED + r"[\w-]{40,}", "https://discuss.ai.google.dev/t/171575 (and the page it names)"),
    Format("google_oauth", "ya29.", r"[\w.-]{16,}", "trufflehog googleoauth2", glued=True),
    Format("google_oauth", "GOCSPX-", r"[\w-]{16,}", "noseyparker np.google.2", glued=True),
    Format("groq", "gsk_", r"[A-Za-z0-9]{20,}", "trufflehog groq"),
    Format("xai", "xai-", r"[\w-]{20,}", "trufflehog xai"),
    Format("perplexity", "pplx-", r"[\w-]{20,}", "gitleaks perplexity-api-key"),
    Format("hugging_face", "hf_ api_org_", r"[A-Za-z0-9]{20,}", "gitleaks huggingface-access-token"),
    Format("replicate", "r8_", r"[\w-]{37}(?![\w-])", "trufflehog replicate"),
    Format("fireworks", "fw_", _MIXED + r"[A-Za-z0-9]{20,}", "keyhog fireworks-ai-api-key"),
    Format("together", "tgp_v1_", r"[\w-]{20,}", OBSERVED),
    Format("cerebras", "csk-", _DIGIT + r"[a-z0-9]{30,}", OBSERVED),
    Format("nvidia", "nvapi-", r"[\w-]{30,}", "trufflehog nvapi"),
    Format(
        "voyage",
        "pa-",
        _MIXED + r"(?=[\w-]{0,60}[A-Z])[\w-]{38,}",
        OBSERVED,
    ),
    Format("jina", "jina_", r"[A-Za-z0-9_-]{40,}", OBSERVED),
    Format("elevenlabs", "sk_", _HEX + r"{40,}", "trufflehog elevenlabs"),
    Format("aws_bedrock", "ABSK", r"[A-Za-z0-9+/]{60,}={0,2}", "gitleaks aws-amazon-bedrock-api-key-long-lived"),
    Format(
        "aws_bedrock", "bedrock-api-key-", r"[A-Za-z0-9+/=]{20,}", "gitleaks aws-amazon-bedrock-api-key-short-lived"
    ),
    Format(
        "helicone",
        "sk-helicone- pk-helicone-",
        r"[\w-]{16,}",
        "https://docs.helicone.ai/ai-gateway/helicone-integration",
    ),
    Format("llama_cloud", "llx-", r"[A-Za-z0-9]{40,}", OBSERVED),
    Format("runpod", "rpa_", _MIXED + r"[A-Za-z0-9]{30,}", OBSERVED),
    Format("wandb", "wandb_v1_", r"[\w-]{60,}", OBSERVED),
    Format("voiceflow", "VF.DM. VF.WS. VF.", _HEX + r"{24}\.[A-Za-z0-9]{16}", "trufflehog voiceflow"),
    Format("photoroom", "sk_pr_", r"\w{1,64}_[0-9a-fA-F]{40}", "trufflehog photoroom"),
    # What agents search, scrape, remember and run with
    Format("langsmith", "lsv2_pt_ lsv2_sk_", r"[\w-]{20,}", "trufflehog langsmith"),
    Format("tavily", "tvly-", _MIXED + r"[\w-]{16,}", "https://docs.tavily.com/guides/quickstart"),
    Format("firecrawl", "fc-", _HEX + r"{32}", "noseyparker np.firecrawl.1"),
    Format("brave", "BSA", r"(?=[A-Za-z_-]{0,20}[0-9])[\w-]{24,}", OBSERVED),
    Format("pinecone", "pcsk_", r"[\w-]{20,}", "trufflehog pinecone"),
    Format("apify", "apify_api_ apify_proxy_", r"[\w-]{20,}", "trufflehog apify"),
    Format("e2b", "e2b_", r"[0-9a-f]{30,}", "https://github.com/e2b-dev/E2B (packages/python-sdk/e2b/api)"),
    Format("browserbase", "bb_live_ bb_test_", r"[\w-]{16,}", OBSERVED),
    Format("chroma", "ck-", _DIGIT + r"(?=[a-z0-9]{0,40}[A-Z])[A-Za-z0-9]{40,}", OBSERVED),
    Format("mem0", "m0-", _MIXED + r"[A-Za-z0-9]{36,}", OBSERVED),
    Format("daytona", "dtn_", r"[0-9a-f]{60,}", OBSERVED),
    # Clouds and hosts
    Format("aws", "AKIA ASIA ABIA ACCA", r"[A-Z0-9]{16}(?![A-Za-z0-9])", "gitleaks aws-access-token"),
    Format("alibaba", "LTAI", r"[A-Za-z0-9]{12,26}(?![A-Za-z0-9])", "gitleaks alibaba-access-key-id"),
    Format("tencent", "AKID", r"[A-Za-z0-9]{32,}", "https://tencentcloud.com/document/product/214/1526"),
    Format("digitalocean", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{32,}", "gitleaks digitalocean-pat", glued=True),
    Format("cloudflare", "cfut_ cfat_ cfk_", r"[A-Za-z0-9]{40,}", "trufflehog cloudflareapitoken"),
    Format("cloudflare", "v1.0-", _HEX + r"{24}-" + _HEX + r"{100,}", "gitleaks cloudflare-origin-ca-key"),
    Format("heroku", "HRKU-", r"[\w-]{30,}", "gitleaks heroku-api-key-v2", glued=True),
    Format("netlify", "nfp_ nfc_ nfo_ nfu_", r"[\w-]{30,}", "trufflehog netlify"),
    Format(
        "vercel",
        "vcp_ vci_ vca_ vcr_ vck_",
        _MIXED + r"[A-Za-z0-9]{24,}",
        "https://vercel.com/changelog/new-token-formats-and-secret-scanning",
    ),
    Format("render", "rnd_", _MIXED + r"[A-Za-z0-9]{24,}", "keyhog render-api-key"),
    Format("flyio", "fo1_ fm1a_ fm1r_ fm2_", r"[\w+/-]{40,}={0,2}", "gitleaks flyio-access-token"),
    Format("supabase", "sbp_ sb_secret_", r"[\w-]{20,}", "https://supabase.com/docs/guides/getting-started/api-keys"),
    Format("neon", "napi_", r"[a-z0-9]{40,}", OBSERVED),
    Format("mongodb_atlas", "mdb_sa_sk_", r"[\w-]{40,}", "kingfisher data/rules/mongodb.yml"),
    Format("confluent", "cflt", r"[A-Za-z0-9+/]{60}", "keyhog confluent-cloud-api-key"),
    Format("deno", "ddp_ ddw_", r"[A-Za-z0-9]{36}", "trufflehog deno"),
    Format(
        "planetscale",
        "pscale_tkn_ pscale_oauth_ pscale_pw_",
        r"[\w=.-]{30,}",
        "gitleaks planetscale-api-token",
        glued=True,
    ),
    Format("databricks", "dapi", r"[0-9a-f]{32}(?:-[0-9])?(?![0-9a-z])", "gitleaks databricks-api-token"),
    Format("clickhouse", "4b1d", r"[A-Za-z0-9]{38}(?![A-Za-z0-9])", "gitleaks clickhouse-cloud-api-secret-key"),
    Format(
        "scaleway", "SCW", r"[A-Z0-9]{17}(?![A-Za-z0-9])", "https://github.com/scaleway/scaleway-sdk-js#getting-started"
    ),
    # Code, packages and their delivery
    Format("github", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"\w{16,}", "gitleaks github-pat", glued=True),
    Format(
        "gitlab",
        "glpat- glrt- gldt- glptt- glcbt- glft- glimt- glagent- gloas- glsoat- glffct- GR1348941",
        r"[\w.-]{16,}",
        "gitleaks gitlab-pat",
        glued=True,
    ),
    Format("bitbucket", "BBDC-", r"[A-Za-z0-9+/@_-]{40,}", "trufflehog bitbucketdatacenter"),
    Format("atlassian", "ATATT3 ATCTT3 ATBB", r"[A-Za-z0-9_=-]{20,}", "trufflehog jiratoken", glued=True),
    Format("npm", "npm_", r"[A-Za-z0-9]{30,}", "gitleaks npm-access-token"),
    Format("pypi", "pypi-", _DIGIT + r"[\w-]{16,}", "gitleaks pypi-upload-token"),
    Format("rubygems", "rubygems_", r"[0-9a-f]{40,}", "gitleaks rubygems-api-token"),
    Format("docker", "dckr_pat_ dckr_oat_", r"[\w-]{20,}", "trufflehog dockerhub", glued=True),
    Format("artifactory", "AKCp cmVmd", r"[A-Za-z0-9]{50,}", "gitleaks artifactory-api-key"),
    Format("nuget", "oy2", r"[a-z0-9]{43}(?![A-Za-z0-9])", "kingfisher kingfisher.nuget.1"),
    Format("clojars", "CLOJARS_", r"[A-Za-z0-9]{40,}", "gitleaks clojars-api-token"),
    Format("circleci", "CCIPAT_ CCIPRJ_", r"\w{30,}", "trufflehog circleci"),
    Format("buildkite", "bkua_ bkpt_ bkat_", r"[A-Za-z0-9_-]{30,}", "trufflehog buildkite"),
    Format("pulumi", "pul-", r"[0-9a-f]{40}", "gitleaks pulumi-api-token"),
    Format("terraform", "atlasv1.", r"[A-Za-z0-9_=-]{60,}", "gitleaks hashicorp-tf-api-token", glued=True),
    Format("prefect", "pnu_ pnb_", r"[A-Za-z0-9]{30,}", "gitleaks prefect-api-token"),
    Format("sourcegraph", "sgp_ slk_", r"\w{40,}", "gitleaks sourcegraph-access-token"),
    Format("postman", "PMAK-", r"[A-Za-z0-9-]{50,}", "gitleaks postman-api-token", glued=True),
    Format("readme", "rdme_", r"[a-z0-9]{60,}", "gitleaks readme-api-token"),
    Format("crates_io", "cio", _MIXED + r"[A-Za-z0-9]{32}(?![A-Za-z0-9])", "noseyparker crates.io.yml"),
    Format("sonar", "sqp_ squ_ sqa_", r"[0-9a-f]{40}", "kingfisher data/rules/sonarqube.yml"),
    Format("harness", "pat. sat.", r"[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}", "gitleaks harness-api-key"),
    Format("launchdarkly", "sdk- api-", _UUID, "trufflehog launchdarkly"),
    Format("octopus", "API-", r"[A-Z0-9]{26}(?![A-Za-z0-9])", "gitleaks octopus-deploy-api-key"),
    # Secrets about secrets
    Format("vault", "hvs. hvb. hvr.", r"[\w-]{20,}", "gitleaks vault-service-token"),
    Format("doppler", "dp.pt. dp.ct. dp.st. dp.sa. dp.scim. dp.audit.", r"[\w.-]{36,}", "trufflehog doppler"),
    Format("age", "AGE-SECRET-KEY-1", r"[A-Z0-9]{50,}", "gitleaks age-secret-key", glued=True),
    Format("onepassword", "ops_", r"eyJ[\w+/=-]{60,}", "gitleaks 1password-service-account-token"),
    Format("onepassword", "A3-", r"[A-Z0-9]{6}-[A-Z0-9-]{20,}", "gitleaks 1password-secret-key"),
    Format("infisical", "st.", _HEX + r"{20,}\.[\w.-]{20,}", "https://infisical.com/docs/internals/service-tokens"),
    Format("tailscale", "tskey-", r"[a-z]+-[\w-]{20,}", "trufflehog tailscale", glued=True),
    Format("openshift", "sha256~", r"[\w-]{40,}", "gitleaks openshift-user-token", glued=True),
    Format("okta", "00", r"[\w-]{40}(?![\w-])", "trufflehog okta"),
    # Messages and mail
    Format(
        "slack",
        "xoxa- xoxb- xoxc- xoxd- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xapp-",
        r"[\w.-]{11,}",
        "gitleaks slack-bot-token",
    ),
    Format("twilio", "SK", r"[0-9a-f]{32}(?![0-9A-Za-z])", "gitleaks twilio-api-key"),
    Format("sendgrid", "SG.", r"[\w-]{16,}\.[\w-]{16,}", "gitleaks sendgrid-api-token"),
    Format("mailgun", "key-", r"[0-9a-f]{32}(?![0-9A-Za-z])", "trufflehog mailgun"),
    Format(
        "resend",
        "re_",
        r"[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}",
        "https://www.resend.com/docs/api-reference/api-keys/update-api-key",
    ),
    Format("brevo", "xkeysib- xsmtpsib-", r"[0-9a-f]{40,}-?\w*", "gitleaks sendinblue-api-token", glued=True),
    # Work
    Format("notion", "ntn_ secret_", _MIXED + r"[A-Za-z0-9]{40,}", "gitleaks notion-api-token"),
    Format("linear", "lin_api_ lin_oauth_ lin_wh_", r"[A-Za-z0-9]{20,}", "gitleaks linear-api-key", glued=True),
    Format("airtable", "pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}", "gitleaks airtable-personnal-access-token"),
    Format(
        "figma",
        "figd_ figo_ figu_ figoh_ figuh_ figor_ figur_ figp_",
        r"[\w=-]{30,}",
        "trufflehog figmapersonalaccesstoken",
    ),
    Format("hubspot", "pat-na1- pat-na2- pat-eu1- pat-ap1-", _UUID, "trufflehog hubspot_apikey"),
    Format("dropbox", "sl.", r"(?:u\.)?[\w-]{100,}", "trufflehog dropbox"),
    Format("clickup", "pk_", r"[0-9]{6,10}_[0-9A-Z]{32}", "trufflehog clickuppersonaltoken"),
    Format("typeform", "tfp_", r"\w{40,}", "trufflehog typeform"),
    Format("contentful", "CFPAT-", r"[\w-]{40,}", "trufflehog contentfulpersonalaccesstoken"),
    Format(
        "intercom",
        "dG9r",
        r"[A-Za-z0-9+/]{50,80}=",
        "https://developers.intercom.com/docs/build-an-integration/learn-more/authentication",
    ),
    Format(
        "cal", "cal_live_ cal_test_", r"[A-Za-z0-9]{20,}", "https://www.mintlify.com/calcom/cal.com/api/authentication"
    ),
    Format("adobe", "p8e-", r"[A-Za-z0-9]{32}", "gitleaks adobe-client-secret"),
    Format("trello", "ATTA", r"[0-9a-f]{60,}", OBSERVED),
    Format("frameio", "fio-u-", r"[\w=-]{60,}", "gitleaks frameio-api-token"),
    Format("duffel", "duffel_test_ duffel_live_", r"[\w=-]{40,}", "gitleaks duffel-api-token"),
    # Money and shops
    Format(
        "stripe",
        "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_ whsec_",
        r"\w{10,}",
        "gitleaks stripe-access-token",
        glued=True,
    ),
    Format(
        "shopify", "shpat_ shpca_ shppa_ shpss_ shptka_", _HEX + r"{20,}", "gitleaks shopify-access-token", glued=True
    ),
    Format("square", "sq0atp- sq0csp- EAAA", r"[\w=+-]{22,}", "gitleaks square-access-token"),
    Format("plaid", "access-production- access-sandbox- access-development-", _UUID, "trufflehog plaidkey"),
    Format(
        "paypal",
        "access_token$production$ access_token$sandbox$",
        r"[0-9a-z]{16}\$[0-9a-f]{32}",
        OBSERVED,
    ),
    Format("flutterwave", "FLWSECK_TEST- FLWSECK-", r"[0-9A-Za-z]{12,}", "gitleaks flutterwave-secret-key"),
    Format("shippo", "shippo_live_ shippo_test_", _HEX + r"{30,}", "gitleaks shippo-api-token", glued=True),
    Format("easypost", "EZAK EZTK", r"[A-Za-z0-9]{54}", "gitleaks easypost-api-token"),
    Format("paddle", "pdl_live_apikey_ pdl_sdbx_apikey_", r"\w{30,}", "keyhog paddle-api-key"),
    Format("ramp", "ramp_sec_", r"[A-Za-z0-9]{40,}", "trufflehog ramp"),
    # What watches
    Format("sentry", "sntrys_ sntryu_ sntrya_", r"[\w+/=-]{30,}", "gitleaks sentry-user-token", glued=True),
    Format("new_relic", "NRAK- NRII- NRIQ- NRBR- NRAA- NRSP-", r"[\w-]{19,}", "trufflehog newrelicuserkey"),
    Format("grafana", "glc_ glsa_", r"[\w+/=-]{30,}", "gitleaks grafana-service-account-token"),
    Format("posthog", "phx_ phs_", r"\w{30,}", "trufflehog posthog"),
    Format("dynatrace", "dt0c01. dt0s16.", r"[\w.]{24,}", "gitleaks dynatrace-api-token", glued=True),
    Format("rootly", "rootly_", r"[0-9a-f]{40,}", "trufflehog rootly"),
    Format(
        "logfire",
        "pylf_v1_ pylf_v2_",
        r"[\w-]{20,}",
        "https://docs.gitguardian.com/secrets-detection/secrets-detection-engine/detectors/specifics/pydantic_logfire_token",
    ),
    Format("infracost", "ico-", r"[A-Za-z0-9]{32}", "gitleaks infracost-api-token"),
    Format("honeycomb", "hcaik_ hcxik_ hcamk_", r"[a-z0-9]{40,}", OBSERVED),
    Format("axiom", "xapt- xaat-", _UUID, "keyhog axiom-api-token"),
    Format("yandex", "AQVN", _MIXED + r"[\w-]{35,38}(?![\w-])", "gitleaks yandex-api-key"),
    # Facebook's, of pages and applications
    Format("facebook", "EAAC EAAM EAAG", r"[A-Za-z0-9]{60,}", "gitleaks facebook-page-access-token"),
    # Of any origin
    Format("grafana", "eyJrIjoi", r"[A-Za-z0-9]{70,}={0,3}", "gitleaks grafana-api-key"),
    Format("jwt", "eyJ", r"[\w-]{13,}(?:\.[\w-]*){1,4}", "https://www.rfc-editor.org/rfc/rfc7519#section-3"),
)
"""Of two formats with one beginning, the longer prefix stands first."""

# A letter before the prefix makes it part of a word ("task-…"), unless it belongs to an escape of JSON or a URL.
START: Final = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4}))"
_LONE: Final = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4}))"


def _body(row: Format) -> str:
    return f"(?:{'|'.join(map(re.escape, row.prefixes.split()))}){row.body}"


def _pattern(rows: Iterable[Format]) -> re.Pattern[str]:
    """One pattern of several formats, each a group of its service's name."""
    alone = {True: _LONE, False: START}
    forms = [
        f"(?P<{row.service}__{at}>{'' if row.glued else alone[row.service == 'jwt']}{_body(row)})"
        for at, row in enumerate(rows)
    ]
    return re.compile("|".join(forms))


HEAD: Final = 2
"""Letters that a format is looked up by."""
_HEADS: Final = frozenset(prefix[:HEAD] for row in FORMATS for prefix in row.prefixes.split())
_compiled: dict[str, re.Pattern[str]] = {}


def pattern_of(head: str) -> re.Pattern[str] | None:
    """Return the formats whose prefix begins so, as one pattern; None where there are none.

    Each is compiled when it is first asked for: all of them would add 40 ms to the start of every program.
    """
    pattern = _compiled.get(head)
    if pattern is None and head in _HEADS:
        rows = [row for row in FORMATS if any(each.startswith(head) for each in row.prefixes.split())]
        pattern = _compiled[head] = _pattern(rows)
    return pattern


JOINTS: Final = "_-.~$"


def _tail(prefix: str) -> tuple[str, int] | None:
    """Return the first joint of a prefix with the two letters before it, and how many letters are before it in all."""
    at = min((at for joint in JOINTS if (at := prefix.find(joint)) >= 0), default=-1)
    return (prefix[max(0, at - 2) : at + 1], at) if at >= 2 else None


def _by_tail() -> dict[str, tuple[int, ...]]:
    tails: dict[str, set[int]] = {}
    for row in FORMATS:
        for prefix in row.prefixes.split() if row.glued else ():
            if tail := _tail(prefix):
                tails.setdefault(tail[0], set()).add(tail[1])
    return {tail: tuple(sorted(before)) for tail, before in tails.items()}


BY_TAIL: Final = _by_tail()
"""How far before such a joint a prefix begins that counts behind a letter too."""
UNJOINTED: Final = re.compile(
    "|".join(prefix for row in FORMATS if row.glued for prefix in row.prefixes.split() if not _tail(prefix))
)
"""The prefixes that count behind a letter too and have no joint."""


def service_of(match: re.Match[str]) -> str:
    """Return the service whose format a pattern of ``pattern_of`` matched."""
    return (match.lastgroup or "").partition("__")[0]
