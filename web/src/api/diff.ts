import { queryOptions } from "@tanstack/react-query";
import { client, unwrap } from "./client";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type CallsDiff = Schemas["CallsDiff"];
export type Diff = Schemas["Diff"];
export type DiffCall = Schemas["DiffCall"];
export type DiffPart = Schemas["DiffPart"];
export type DiffRun = Schemas["DiffRun"];
export type DiffStep = Schemas["DiffStep"];

/** Two runs, compared; if one is missing, the other is compared with the previous run of its program. */
export function diffQuery(a: string | undefined, b: string | undefined) {
  return queryOptions({
    queryKey: ["diff", a, b],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/diff", { params: { query: { ...(a && { a }), ...(b && { b }) } }, signal })),
    // Ended runs do not change, and a comparison of running ones is refreshed on request.
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
}

/** Two calls with the texts of their inputs and answers; null if a run does not have the call. */
export function callsDiffQuery(a: DiffCall | null, b: DiffCall | null) {
  const query = { ...(a && { a: placeOf(a) }), ...(b && { b: placeOf(b) }) };
  return queryOptions({
    queryKey: ["diff", "calls", query.a, query.b],
    queryFn: ({ signal }) => unwrap(client.GET("/diff/calls", { params: { query }, signal })),
    gcTime: 60_000,
  });
}

function placeOf({ trace_id, span_id }: DiffCall): string {
  return `${trace_id}.${span_id}`;
}
