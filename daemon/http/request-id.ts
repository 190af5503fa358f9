import { randomUUID } from "node:crypto";
import type { Request, Response } from "express";

const header = "X-Request-ID";

/** Gives each answer an id by which the log can be searched; the asker's own is kept when it is a plain token. */
export function assignRequestId(request: Request, response: Response, next: () => void): void {
  const own = request.headers["x-request-id"];
  response.setHeader(header, typeof own === "string" && /^[\w.:-]{1,64}$/.test(own) ? own : randomUUID());
  next();
}

/** The id that `assignRequestId` gave. */
export function requestIdOf(response: Response): string {
  return String(response.getHeader(header));
}
