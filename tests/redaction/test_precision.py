"""Of 2,000 ordinary texts at most one in a hundred is touched, genuine secrets in them included."""

import re

import pytest
from corpus import corpus

from inspector.redaction import Redactor

ORDINARY = [
    "To reset your password: click the link in the mail that we sent you.",
    "token: the smallest unit that a model reads, about four letters of English.",
    "Cookie: consent dialogs annoy everybody who reads the web.",
    "Our secret: we care about each of our guests.",
    "Authorization: users must be members of the group.",
    "reset done for user 42\\npassword reset requested for user 43",
    "password reset instructions, forgotten passwords and password managers",
    ":param password: The password to log in with, if any.",
    "  token: string, required\n  password: str = None",
    "token = lexer.next_token()\nif token.kind == 'NAME':\n    key = token.text",
    "client = Client(api_key=api_key, token=self.token, password=os.environ['PASSWORD'])",
    '{"usage": {"max_tokens": 512, "token": 12, "cached_tokens": 0}, "next_page_token": "CAUQAA"}',
    "Secrets: none found. Tokens: 1,024 in, 96 out. Key: value pairs are sorted.",
    "docker run -u 1000:1000 image; git push -u origin main; sudo -u postgres psql",
    "curl -sS https://a.example/x -u $USER:$PASSWORD",
    "curl -u1000:1000 x; curl -ume:$PASSWORD x; pytest -unit:fast; curl -s x | docker run -u0:0 y",
    "export PGPASSWORD=$(cat /run/pw); PASSWORD=$(pass show db) ./run",
    "https://a.example/items/550e8400-e29b-41d4-a716-446655440000?page=2&key=name",
    "auth=(user, password), auth=auth, auth: required, oauth: ['read', 'write'], test_auth('GET', 'x')",
    "Author: Jane\nauthors = ['Jane', 'Joe']; authenticate('me', 'you'); class SecretStr(str): ...",
    "name, password, city\nare fields, words, names\n",
    "word,token,count\nthe,the,7\nof,of,4\n",
    "git commit -a -m x; cp -a a b; mkdir -p docker/login; ls -w 80; ps -p 4711; grep -w redis-cli x",
    "mysql -h db -e 'select 1' | lpr -phall; mysqlite -preview; mariadb-client is here\ntar -pxzf mysql.tgz",
    "docker login x && docker run -p8080:80 image; docker login -u me | tar -pxzf a; REDISCLI_AUTH is read",
    "the mysql.exe file is -pretty large; install mysql and run tar -pxzf a.tgz; docker login, then docker -preview",
    "mysql -h db --prompt=x; mysql takes '-p' as an option, 'x' as another; mysql -p'' -e 'select 1' x --parallel=4",
    'mysql -u me -p"$MYSQL_PASSWORD" db; mysql -p$MYSQL_PASSWORD; docker login -p${PW} x; mysql -p`cat pw`',
    "REDISCLI_AUTH: the password that redis-cli uses; REDISCLI_AUTH = os.environ['X']; REDISCLI_AUTH=`cat pw`",
    '{"REDISCLI_AUTH": null, "city": "Oslo"}, {"REDISCLI_AUTH": true}',
    '{"args": ["-pxzf", "a"], "command": "tar"}, {"args": [], "command": "mysql"}',
    "docker run -p 8080:80 image; docker login -u me; redis-cli -a $REDIS_PASSWORD; http -a $AUTH a.example",
    "COOKIE_PAT = re.compile(r'a+b')\nIGNORE_PAT = 'node_modules'\nLINE_PAT: '[a-z]+ 12345678901234567890'",
    "<Cookies[]> Cookie(name, value) and <Cookie> are types; SecretStr is one as well.",
    "| name | token |\n|---|---|\n| begin | <s> |\n",
    "machine learning: the password of the login page was changed by the user",
]


@pytest.mark.slow
def test_at_most_one_in_a_hundred_ordinary_texts_is_touched():
    redactor = Redactor(salt=b"x")
    texts = corpus()
    assert len(texts) == 2_000
    touched = [(kind, out) for kind, text in texts if (out := redactor.redact_text("text", text)) != text]
    shown = [f"{kind}: …{match[0]}" for kind, out in touched if (match := re.search(r".{0,60}\[redacted:[^]]*\]", out))]
    assert len(touched) <= 20, "\n".join(shown)


def test_ordinary_sentences_and_code_stay():
    redactor = Redactor()
    assert [text for text in ORDINARY if redactor.redact_text("text", text) != text] == []
