import { randomUUID } from "node:crypto";
import type { Request, Response } from "express";

const header = "X-Request-ID";

/** Gives each answer an id that the log can be searched for. Keeps the client's id if it is a plain token. */
export function assignRequestId(request: Request, response: Response, next: () => void): void {
  const own = request.headers["x-request-id"];
  response.setHeader(header, typeof own === "string" && /^[\w.:-]{1,64}$/.test(own) ? own : randomUUID());
  next();
}

/** Returns the id from `assignRequestId`. */
export function requestIdOf(response: Response): string {
  return String(response.getHeader(header));
}
