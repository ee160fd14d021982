// Calls of the public JSON API. The key is sent in a header only, so that no other page can use it.
import { key, signedOut } from "../state/session";

export type Query = Record<string, string | number | boolean | readonly string[] | undefined>;

// A refusal, with the message and reason of the api.
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly reason: string,
    message: string,
    readonly metadata: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

interface Status {
  message?: string;
  details?: { reason?: string; metadata?: Record<string, string> }[];
}

// The api is next to the console: one level up, also behind a proxy that adds a path.
export function address(path: string, query: Query = {}): URL {
  const url = new URL(`../${path}`, document.baseURI);
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === "" || value === false) continue;
    for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(one));
  }
  return url;
}

export function headers(): Record<string, string> {
  return key.value === "" ? {} : { authorization: `Bearer ${key.value}` };
}

export async function refusal(response: Response): Promise<ApiError> {
  const status = (await response.json().catch(() => ({}))) as Status;
  const info = status.details?.find((detail) => detail.reason !== undefined);
  if (response.status === 401) signedOut();
  return new ApiError(response.status, info?.reason ?? "", status.message ?? response.statusText, info?.metadata);
}

async function call<T>(method: string, path: string, query: Query, body?: unknown, signal?: AbortSignal): Promise<T> {
  const request: RequestInit = { method, headers: headers(), cache: "no-store", credentials: "omit" };
  if (method !== "GET") request.headers = { ...headers(), "content-type": "application/json" };
  if (body !== undefined) request.body = JSON.stringify(body);
  if (signal) request.signal = signal;
  const response = await fetch(address(path, query), request);
  if (!response.ok) throw await refusal(response);
  return (await response.json()) as T;
}

export function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return call<T>("GET", path, query, undefined, signal);
}

export function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return call<T>("POST", path, {}, body, signal);
}

export function patch<T>(path: string, query: Query, body: unknown): Promise<T> {
  return call<T>("PATCH", path, query, body);
}

export function remove<T>(path: string, query: Query = {}): Promise<T> {
  return call<T>("DELETE", path, query);
}
