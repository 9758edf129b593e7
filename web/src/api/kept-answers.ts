/** The segments of a path below the document; ids in them consist of digits and letters. */
export function wordsOf(url: URL): string[] {
  const base = new URL("./", document.baseURI.split("#")[0]).pathname;
  return url.pathname.slice(base.length).split("/").map(decodeURIComponent);
}

export function notHere(): Response {
  return json({ title: "Not Found", status: 404, detail: "This file does not contain it." }, 404);
}

export function json(value: unknown, status = 200): Response {
  return answer(JSON.stringify(value), status);
}

export function answer(text: string, status = 200): Response {
  return new Response(text, { status, headers: { "content-type": "application/json" } });
}
