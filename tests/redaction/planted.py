"""Secrets to plant: made when a test runs, of parts and seeded random letters, so that no file holds one."""

import base64
import json
import random
import string

LETTERS = string.ascii_letters + string.digits
ALPHABETS = {
    "x": "0123456789abcdef",
    "a": LETTERS,
    "w": LETTERS + "_-",
    "l": string.ascii_lowercase + string.digits,
    "U": string.ascii_uppercase + "234567",
    "d": string.digits,
    "b": LETTERS + "+/",
}
TOKENS = """
anthropic sk-ant-api03-{w93}AA
openrouter sk-or-v1-{x64}
langfuse sk-lf-{x8}-{x4}-{x4}-{x4}-{x12}
openai sk-{a20}T3BlbkFJ{a20}
openai sk-proj-{w74}T3BlbkFJ{w74}
deepseek sk-{l32}
google AIza{w35}
google_oauth ya29.a0{w80}
google_oauth GOCSPX-{w28}
google_oauth 1//0{w60}
groq gsk_{a52}
xai xai-{a80}
perplexity pplx-{a48}
hugging_face hf_{a34}
replicate r8_{a37}
fireworks fw_{a24}
together tgp_v1_{w43}
cerebras csk-{l48}
nvidia nvapi-{w64}
voyage pa-{w43}
jina jina_{a60}
elevenlabs sk_{x48}
llama_cloud llx-{a48}
langsmith lsv2_pt_{x32}_{x10}
tavily tvly-dev-{a32}
firecrawl fc-{x32}
brave BSA{w28}
pinecone pcsk_{a5}_{a63}
apify apify_api_{a36}
e2b e2b_{x40}
browserbase bb_live_{w27}
aws AKIA{U16}
aws_bedrock ABSK{b120}=
alibaba LTAI{a20}
digitalocean dop_v1_{x64}
cloudflare cfut_{a40}{x8}
heroku HRKU-AA{w58}
netlify nfp_{a36}
vercel vcp_{a56}
render rnd_{a28}
supabase sbp_{x40}
supabase sb_secret_{w22}_{a8}
neon napi_{l64}
planetscale pscale_tkn_{w43}
databricks dapi{x32}
github ghp_{a36}
github github_pat_{a22}_{a59}
gitlab glpat-{a20}
atlassian ATATT3xFfGF0{w170}={x8}
npm npm_{a36}
pypi pypi-AgEIcHlwaS5vcmc{w90}
rubygems rubygems_{x48}
docker dckr_pat_{w27}
circleci CCIPAT_{a22}_{x40}
terraform {a14}.atlasv1.{a67}
prefect pnu_{a36}
pulumi pul-{x40}
postman PMAK-{x24}-{x34}
vault hvs.{w95}
doppler dp.pt.{a43}
age AGE-SECRET-KEY-1{U58}
onepassword ops_eyJ{a260}
tailscale tskey-auth-{a12}-{a32}
slack xoxb-{d12}-{d12}-{a24}
slack xapp-1-A{U10}-{d13}-{x64}
discord MTA{a21}.G{a5}.{w38}
telegram {d10}:AA{w33}
twilio SK{x32}
sendgrid SG.{w22}.{w43}
mailgun key-{x32}
resend re_{a8}_{a24}
brevo xkeysib-{x64}-{a16}
notion ntn_{d11}{a35}
notion secret_{a43}
linear lin_api_{a40}
airtable pat{a14}.{x64}
figma figd_{w40}
hubspot pat-na1-{x8}-{x4}-{x4}-{x4}-{x12}
dropbox sl.u.{w140}
clickup pk_{d8}_{U32}
typeform tfp_{a44}
contentful CFPAT-{w43}
intercom dG9r{b55}=
stripe sk_live_{a24}
stripe whsec_{a32}
shopify shpat_{x32}
square sq0atp-{w22}
square EAAA{w60}
plaid access-production-{x8}-{x4}-{x4}-{x4}-{x12}
sentry sntryu_{x64}
new_relic NRAK-{U27}
grafana glsa_{a32}_{x8}
posthog phx_{a43}
logfire pylf_v1_us_{a43}
logfire pylf_v2_eu_{a43}
cal cal_test_{x32}
facebook EAAC{a110}
azure {a3}8Q~{a34}
jwt eyJ{a33}.eyJ{a70}.{w43}
slack_webhook https://hooks.slack.com/services/T{U8}/B{U8}/{a24}
discord_webhook https://discord.com/api/webhooks/{d18}/{w68}
zapier_webhook https://hooks.zapier.com/hooks/catch/{d7}/{a12}
zapier_mcp https://mcp.zapier.com/api/mcp/s/{a60}/mcp
google AQ.Ab{w48}
runpod rpa_{U32}{l6}
wandb wandb_v1_{a32}_{a44}
voiceflow VF.DM.{x24}.{a16}
photoroom sk_pr_default_{x40}
chroma ck-{a44}
mem0 m0-{a40}
daytona dtn_{x64}
mongodb_atlas mdb_sa_sk_{a40}
confluent cflt{b60}
deno ddp_{a36}
crates_io cio{a32}
sonar squ_{x40}
harness pat.{w22}.{x24}.{a20}
launchdarkly sdk-{x8}-{x4}-{x4}-{x4}-{x12}
okta 00{a40}
trello ATTA{x64}{x8}
frameio fio-u-{w64}
duffel duffel_live_{w43}
paddle pdl_live_apikey_{l26}_{a22}_{a3}
ramp ramp_sec_{a48}
honeycomb hcaik_01{l56}
axiom xaat-{x8}-{x4}-{x4}-{x4}-{x12}
yandex AQVN{w36}
grafana eyJrIjoi{a90}
azure {a52}JQQJ99{a26}
azure {a76}AZDO{a4}
mailchimp {x32}-us12
new_relic {x36}FFFFNRAL
salesforce 00D{a12}!AQ{a90}
"""
"""One service a line, and how its tokens look: ``{w43}`` is 43 characters of the alphabet ``w``."""


def letters(rng: random.Random, size: int, alphabet: str = "a") -> str:
    return "".join(rng.choices(ALPHABETS[alphabet], k=size))


def tokens(seed: int) -> list[tuple[str, str]]:
    """The service and a token for each line."""
    made: list[tuple[str, str]] = []
    for at, line in enumerate(TOKENS.split("\n")[1:-1]):
        rng = random.Random(seed * 1000 + at)
        service, _, shape = line.partition(" ")
        pieces = shape.split("{")
        token = pieces[0]
        for piece in pieces[1:]:
            spec, _, rest = piece.partition("}")
            token += letters(rng, int(spec[1:]), spec[0]) + rest
        made.append((service, token))
    return made


def core(token: str) -> str:
    """A part of a token that must not be found again: its last 12 characters, which are random."""
    return token.rstrip("=")[-12:]


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


WAYS = {
    "escaped letters of the name": '{"pass\\u0077ord": "%s", "a": 1}',
    "escaped letters, nested": '"{\\"pass\\\\u0077ord\\": \\"%s\\"}"',
    "curl user": "curl -sS -u admin:%s https://a.example/x",
    "curl user, quoted": "curl -u 'admin:%s' https://a.example/x",
    "curl long option": "curl --user admin:%s https://a.example/x",
    "curl proxy": "curl --proxy-user me:%s https://a.example/x",
    "curl header": "curl -H 'Authorization: Bearer %s' https://a.example/x",
    "curl other header": 'curl -H "X-Api-Key: %s" https://a.example/x',
    "curl in json": json.dumps({"command": "curl -u 'admin:%s' https://a.example"}),
    "sshpass": "sshpass -p %s ssh me@host",
    "netrc": "machine api.example login me password %s\nmachine other login you",
    "netrc, lines": "machine api.example\n  login me\n  password %s\n",
    "netrc in json": json.dumps("machine api.example\n  login me\n  password %s\n"),
    "header": "GET / HTTP/1.1\r\nAuthorization: Token %s\r\nHost: a.example\r\n\r\n",
    "header, lower case": "authorization: bearer %s\nhost: a.example",
    "set-cookie": "Set-Cookie: session=%s; HttpOnly; Path=/",
    "basic": "Authorization: Basic " + "%s",
    "url userinfo": "git clone https://me:%s@git.example/a.git",
    "dsn": "postgresql+asyncpg://app:%s@db:5432/app?sslmode=require",
    "query": "https://a.example/v1?user=1&api_key=%s&page=2",
    "query, encoded": "next=https%%3A%%2F%%2Fa.example%%2Fv1%%3Fapi_key%%3D%s%%26page%%3D2",
    "form": "grant_type=password&username=me&password=%s&scope=all",
    "env": "PATH=/bin\nOPENAI_API_KEY=%s\nLANG=C",
    "env, exported": 'export DB_PASSWORD="%s"',
    "env in json": json.dumps({"env": "A=1\nAPI_TOKEN=%s\nB=2"}),
    "yaml": "db:\n  user: me\n  password: %s\n  host: x",
    "yaml, quoted": "db:\n  password: '%s'\n",
    "yaml pairs": "env:\n- name: API_KEY\n  value: %s\n- name: LANG\n  value: C",
    "toml": '[auth]\nclient_secret = "%s"\n',
    "ini": "[db]\nDB_PASSWORD = %s\n",
    "xml": "<config><password>%s</password></config>",
    "keyword": "connect(host='x', password='%s', port=1)",
    "pydantic": "Config(name='x' api_key='%s' port=1)",
    "header object": "Header(name='Authorization', value='Token %s')",
    "asgi headers": "[(b'host', b'a.example'), (b'authorization', b'Token %s')]",
    "error": 'KeyError: \'{"passwd": "%s"}\'',
    "sentence": "the password is %s, keep it",
    "markdown": "- **password**: `%s`",
    "docker": "docker run -e API_KEY=%s image",
    "connection string": "Server=x;User Id=me;Password=%s;Encrypt=true",
    "azure": "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=%s==;EndpointSuffix=x",
    "k8s": "kind: Secret\ndata:\n  password: %s",
    "dockerfile": "FROM x\nENV API_KEY %s\nRUN y",
    "yaml block": "password: |\n  %s\nnext: x",
    "table": "| user | me |\n| password | %s |",
    "method": 'builder.password("%s").build()',
    "setter": "connection.setPassword('%s')",
    "bold": "**Password:** %s",
    "mysql": "mysql -u me -p%s db",
    "fragment": "https://a.example/cb#access_token=%s&state=1",
    "powershell": '$env:API_KEY = "%s"',
    "npmrc": "//registry.example/:_authToken=%s",
    "auth pair": "requests.get(url, auth=('me', '%s'), timeout=3)",
    "auth class": 'auth=httpx.BasicAuth("me", "%s")',
    "auth method": "request.auth('me', '%s')",
    "auth in json": json.dumps({"url": "https://a.example", "auth": ["me", "%s"]}),
    "secret type": 'Settings(key_of=SecretStr("%s"))',
    "secret bytes": "SecretBytes(b'%s')",
    "cookie jar": "<RequestsCookieJar[<Cookie sid=%s for .a.example/>]>",
    "cookie object": "Cookie(version=0, name='sid', value='%s', port=None)",
    "csv": "name,password,city\nme,%s,Lisbon\n",
    "csv, last column": "id;city;secret\n1;Lisbon;%s\n",
    "csv in json": json.dumps({"text": "name,password,city\nme,%s,Lisbon"}),
    "columns": "user\tpassword\nme\t%s\n",
    "rows": "| user | password |\n|---|---|\n| me | %s |\n",
    "httpie": "http -a me:%s https://a.example/x",
    "httpie, long option": "xh --auth=me:%s a.example",
    "redis": "redis-cli -h db -a %s ping",
    "redis in a list": json.dumps(["redis-cli", "-a", "%s", "ping"]),
    "docker login": "docker login -u me -p %s registry.example",
    "ldap": "ldapsearch -D cn=me -w %s -b dc=x",
    "mysql alone": "mysql -h db -p%s app",
    "mysql at once": "mysql -p%s app",
    "mysql at a host of that name": "mysql -h mysql.internal -u mysql -p%s app",
    "mariadb": "/usr/bin/mariadb-dump -u me -p%s app",
    "mysql behind a statement": "mysql -u me app -e 'select a in (b) from c' -p%s",
    "mysql in quotes": "mysql -u me -p'%s' app",
    "mysql in quotes in json": json.dumps({"run": 'mysql -u me -p"%s" app'}),
    "sshpass in quotes": "sshpass -p'%s' ssh me@a.example",
    "curl at once": "curl -s -ume:%s https://a.example",
    "curl at once in a list": json.dumps(["curl", "-ume:%s", "https://a.example"]),
    "curl at once in quotes": "curl -u'me:%s' https://a.example",
    "mysql behind operands": "mysqladmin create app -p%s",
    "mysql in a list": json.dumps(["mysqldump", "-u", "me", "-p%s", "app"]),
    "mysql behind its arguments": json.dumps({"args": ["-u", "me", "-p%s"], "command": "mysql"}),
    "mysql in front of another command": json.dumps({"text": "mysql -p%s app", "command": "bash"}),
    "mysql on Windows": "C:\\mysql\\bin\\mysql.exe -u me -p%s app",
    "docker login at once": "docker login -u me -p%s registry.example",
    "docker login behind its arguments": json.dumps({"args": ["login", "-p", "%s"], "command": "docker"}),
    "redis in the environment": "REDISCLI_AUTH=%s redis-cli ping",
    "redis in the environment in a list": json.dumps([{"name": "REDISCLI_AUTH", "value": "%s"}]),
    "redis in the environment in json": json.dumps({"env": {"REDISCLI_AUTH": "%s"}}),
    "sshpass in the environment": "SSHPASS=%s sshpass -e ssh db",
    "personal token": "export GITHUB_PAT=%s",
    "personal token in json": json.dumps({"AZURE_DEVOPS_PAT": "%s"}),
}
"""Texts that carry a secret, each with a place for it."""


def secrets(count: int, seed: int = 7) -> list[tuple[str, str]]:
    """Texts with a secret each, and the part of it that must not be found again: of every format and in every way."""
    made: list[tuple[str, str]] = []
    rng = random.Random(seed)
    while len(made) < count:
        made += [(f"use {token} for it", core(token)) for _, token in tokens(seed + len(made))]
        for kind, text in WAYS.items():
            secret = letters(rng, 23) + "9"
            shown = encoded(f"me:{secret}") if kind == "basic" else secret
            made.append((text % shown, shown[-16:]))
    return made[:count]
