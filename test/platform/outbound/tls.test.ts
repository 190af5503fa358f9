import { generateKeyPairSync } from "node:crypto";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, it } from "vitest";
import { selfSignedCertificate } from "../../../daemon/tls/certificate.ts";
import { createOutbound } from "../../../src/platform/outbound/outbound.ts";

let server: Server;
let ca: string;
let port: number;
const seen: { sni: string | false | null; host: string | undefined }[] = [];

beforeAll(async () => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const names = ["hooks.test", "127.0.0.1"];
  ca = selfSignedCertificate({
    title: "test",
    names,
    from: new Date(Date.now() - 1e6),
    to: new Date(Date.now() + 1e8),
    publicKey,
    privateKey,
  });
  server = createServer({ cert: ca, key: privateKey.export({ type: "pkcs8", format: "pem" }) }, (request, response) => {
    seen.push({ sni: (request.socket as TLSSocket & { servername: string | false | null }).servername, host: request.headers.host });
    request.resume().on("end", () => response.end("ok"));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => void server.close());

const post = (host: string, trusted?: string) =>
  createOutbound({ allow: [], resolve: async () => ["127.0.0.1"], ...(trusted !== undefined && { ca: trusted }) }).post({
    url: `https://${host}:${port}/secret`,
    headers: {},
    body: "{}",
    timeoutMs: 10_000,
  });

it("outbound TLS: checks the name of the URL, not the checked address", async () => {
  expect(await post("HOOKS.test", ca)).toMatchObject({ kind: "answered", status: 200, body: "ok" });
  expect(seen.pop()).toEqual({ sni: "hooks.test", host: `hooks.test:${port}` });
  expect(await post("hooks.test.", ca)).toMatchObject({ kind: "answered", status: 200 });
  expect(seen.pop()).toMatchObject({ sni: "hooks.test" });
});

it("outbound TLS: accepts a certificate for an address if the URL has one", async () => {
  expect(await post("127.0.0.1", ca)).toMatchObject({ kind: "answered", status: 200 });
  expect(seen.pop()).toEqual({ sni: false, host: `127.0.0.1:${port}` });
});

it("outbound TLS: sends nothing to a server that cannot prove the name", async () => {
  seen.length = 0;
  expect(await post("other.test", ca)).toMatchObject({
    kind: "unreachable",
    error: `other.test:${port}: its certificate is for another name (ERR_TLS_CERT_ALTNAME_INVALID)`,
  });
  expect(await post("hooks.test")).toMatchObject({
    kind: "unreachable",
    error: `hooks.test:${port}: its certificate is self-signed; name the certificate in NODE_EXTRA_CA_CERTS (DEPTH_ZERO_SELF_SIGNED_CERT)`,
  });
  expect(seen).toEqual([]);
});
