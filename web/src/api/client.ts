import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

type Schemas = components["schemas"];
export type SpanEvent = Schemas["Event"];
export type FullEvent = Schemas["FullEvent"];
export type NewLabel = Schemas["NewLabel"];
export type Preview = Schemas["Preview"];
export type Replay = Schemas["Replay"];
export type LinkedRun = Schemas["LinkedRun"];
export type Run = Schemas["Run"];
export type RunOutline = Schemas["RunOutline"];
export type Trace = Schemas["Trace"];
export type TraceOutline = Schemas["TraceOutline"];
export type Turn = Schemas["Turn"];
export type Session = Schemas["Session"];
export type HitPlace = Schemas["HitPlace"];
export type Stats = Schemas["Stats"];
export type StatsGroup = Schemas["StatsGroup"];
export type StatsBucket = Schemas["StatsBucket"];
export type GroupBy = Schemas["GroupBy"];
export type Storage = Schemas["Storage"];
export type Problem = Schemas["Problem"];
export type Readiness = Schemas["Readiness"];

/** Where the application is served, ending with a slash; the API is beside it, under any mount prefix. */
export const BASE = new URL("./", document.baseURI.split("#")[0]).href;

/** Answers the requests of the application. */
export type Source = (question: Request) => Promise<Response>;

let kept: Source | null = null;

/** Answer every request from what the page itself contains; to be called before the first request. */
export function answerFrom(source: Source): void {
  kept = source;
}

/** Whether there is a server: unlike a file, it accepts changes, has other pages and streams events. */
export function isServed(): boolean {
  return kept === null;
}

export const client = createClient<paths>({
  baseUrl: BASE.slice(0, -1),
  credentials: "same-origin",
  fetch: (question) => (kept ?? fetch)(question),
});

/** An error from the API; `status` is 0 if there was no answer at all. */
export class ApiError extends Error {
  readonly status: number;
  readonly parameter: string | undefined;

  constructor(status: number, detail: string, parameter?: string) {
    super(detail);
    this.name = "ApiError";
    this.status = status;
    this.parameter = parameter;
  }
}

/** Whether the server has nothing of this name; with `orId`, also because its id cannot be one. */
export function isNotFound(error: unknown, orId = false): boolean {
  return error instanceof ApiError && (error.status === 404 || (orId && error.status === 422));
}

const SIGNED_OUT = "This browser is not signed in. Run inspector open in a terminal.";

interface Answer<T> {
  data?: T | undefined;
  error?: unknown;
  response: Response;
}

/** Whether a body is the server's own report of its state, and not an error of something in its place. */
export function isReadiness(body: unknown): body is Readiness {
  return typeof body === "object" && body !== null && "problems" in body;
}

/** The data of an answer, or an ApiError that says why there is none. */
export async function unwrap<T>(asked: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>;
  try {
    answer = await asked;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "The inspector does not answer. Is it still running?");
  }
  if (answer.data !== undefined) return answer.data;
  if (answer.response.status === 401) throw new ApiError(401, SIGNED_OUT);
  const problem = (typeof answer.error === "object" ? answer.error : null) as Partial<Problem> | null;
  throw new ApiError(
    answer.response.status,
    problem?.detail ?? `The inspector answered ${answer.response.status}.`,
    problem?.parameter,
  );
}
