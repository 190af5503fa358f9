import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import type { AddressInfo } from "node:net";
import type { Resolve } from "../../../src/platform/outbound/resolve.ts";

/** A name server on 127.0.0.1 whose answers are not cached. */
export interface NameServer {
  /** Queries it over UDP, each time again. */
  readonly resolve: Resolve;
  /** Number of queries per name. */
  readonly asked: Map<string, number>;
  close(): Promise<void>;
}

/** Answers the n-th query for a name with the n-th list of IPv4 addresses, and later ones with the last list. */
export async function startNameServer(names: Readonly<Record<string, readonly (readonly string[])[]>>): Promise<NameServer> {
  const asked = new Map<string, number>();
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const end = query.indexOf(0, 12);
    const labels: string[] = [];
    for (let at = 12; at < end; at += 1 + (query[at] ?? 0)) labels.push(query.toString("latin1", at + 1, at + 1 + (query[at] ?? 0)));
    const name = labels.join(".").toLowerCase();
    const count = asked.get(name) ?? 0;
    asked.set(name, count + 1);
    const lists = names[name] ?? [[]];
    const addresses = lists[Math.min(count, lists.length - 1)] ?? [];
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(addresses.length > 0 ? 0x8180 : 0x8183, 2);
    head.writeUInt16BE(addresses.length, 6);
    head.writeUInt32BE(0, 8);
    const records = addresses.map((address) => Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)]));
    socket.send(Buffer.concat([head, query.subarray(12, end + 5), ...records]), from.port, from.address);
  });
  await new Promise<void>((done) => socket.bind(0, "127.0.0.1", done));
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  resolver.setServers([`127.0.0.1:${(socket.address() as AddressInfo).port}`]);
  return {
    asked,
    resolve: (name) => resolver.resolve4(name),
    close: () => new Promise((done) => socket.close(() => done())),
  };
}
