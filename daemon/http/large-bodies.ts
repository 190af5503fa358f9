import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import { createSemaphore, type Semaphore } from "../../src/base/async/semaphore.ts";
import { Problem } from "../../src/contract/problem.ts";
import { bodyLimit } from "./body.ts";
import { disconnectSignal } from "./caller.ts";
import type { ClientAddress } from "./client-address.ts";

/** A body of 8 MiB takes ten times that while it is read, checked and stored. */
const mostInAll = 3;
const mostPerClient = 1;
const timeout = {
  ms: 30_000,
  error: () => new Problem("unavailable", "Other large bodies are being read; send one at a time, or try again later"),
};

/** Lets bodies of more than 1 MiB wait for each other, unread: one per client and three in all are read and answered at a time. */
export function limitLargeBodies(clientAddress: ClientAddress): RequestHandler {
  const inAll = createSemaphore({ max: mostInAll, timeout });
  const clients = new Map<string, { readonly slot: Semaphore; users: number }>();
  return async (request, response, next) => {
    if (statedLength(request) <= bodyLimit) return next();
    const name = clientAddress(request);
    const client = clients.get(name) ?? { slot: createSemaphore({ max: mostPerClient, timeout }), users: 0 };
    clients.set(name, client);
    client.users += 1;
    response.once("close", () => {
      client.users -= 1;
      if (client.users === 0) clients.delete(name);
    });
    const signal = disconnectSignal(response);
    for (const slots of [client.slot, inAll]) response.once("close", await slots.take(signal));
    next();
  };
}

/** Returns the length of a body as the client states it, 0 without one; unlimited if it is chunked or compressed. */
export function statedLength({ headers }: IncomingMessage): number {
  if (headers["transfer-encoding"] !== undefined || headers["content-encoding"] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers["content-length"] ?? 0);
}
