import { X509Certificate } from "node:crypto";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type PeerCertificate, rootCertificates, type SecureVersion } from "node:tls";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { z } from "zod";
import { createHub } from "../../../daemon/live/hub.ts";
import { ensureSelfSigned, machineNames } from "../../../daemon/tls/self-signed.ts";
import { openTls, type Tls } from "../../../daemon/tls/tls.ts";
import { type TailState, tail } from "../../../src/admin/live-client/tail.ts";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { createHttpClient } from "../../../src/contract/http-client.ts";
import { route } from "../../../src/contract/route.ts";
import { fetchTrusting } from "../../../src/monitoring/upstream/http.ts";
import { selfSignedPaths } from "../../../src/platform/tls/key-pair.ts";
import { testDatabase } from "../../support/database.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { keptLog, type Served, sendRaw, serve } from "./support.ts";

const folder = temporaryFolder("tls");
afterAll(() => folder.remove());

let count = 0;
/** A separate data folder for a test. */
const ownFolder = (): string => {
  count += 1;
  const path = join(folder.path, String(count));
  mkdirSync(path);
  return path;
};

const routes = { ask: route("/ask", { method: "get", summary: "Ask", tag: "t", reply: z.object({ ok: z.boolean() }) }) };
const operations = { ask: async () => ({ ok: true }) };
const dayMs = 86_400_000;
const today = new Date("2026-03-01T12:00:00Z");
const inDays = (days: number): Date => new Date(today.getTime() + days * dayMs);

let served: Served | undefined;
let tls: Tls | undefined;
afterEach(async () => {
  await tls?.stop();
  await served?.close();
  served = undefined;
  tls = undefined;
});

const base = { host: "127.0.0.1", allowedHosts: [], tlsCertPath: undefined, tlsKeyPath: undefined };
const openOwn = (dataDir: string) => openTls({ ...base, tlsMode: "self_signed", dataDir }, { clock: systemClock, log: silentLog });
const openProvided = (tlsCertPath: string, tlsKeyPath: string, log = keptLog()) =>
  openTls({ ...base, tlsMode: "provided", dataDir: "/nonexistent", tlsCertPath, tlsKeyPath }, { clock: systemClock, log });

/** The certificate that the server shows to a client that trusts only `ca`. */
function shown(port: number, ca: string, servername: string): Promise<PeerCertificate> {
  return new Promise((done, fail) => {
    const socket = connect({ port, host: "127.0.0.1", ca, servername }, () => {
      done(socket.getPeerCertificate());
      socket.end();
    });
    socket.once("error", fail);
  });
}

describe("self-signed certificate", () => {
  it("self-signed certificate: is created at the first start and kept, with a key that only this user can read", async () => {
    const dataDir = ownFolder();
    const first = await openOwn(dataDir);
    const second = await openOwn(dataDir);
    await first?.stop();
    await second?.stop();
    expect(second?.pair).toEqual(first?.pair);
    expect(first?.ownCertificatePath).toBe(join(dataDir, "tls", "cert.pem"));
    expect(readFileSync(join(dataDir, "tls", "cert.pem"), "utf8")).toBe(first?.pair.cert);
    expect(statSync(join(dataDir, "tls", "key.pem")).mode & 0o777).toBe(0o600);
  });

  it("self-signed certificate: is valid for localhost and the machine's names and addresses only", async () => {
    const names = machineNames(["cams.example", "[2001:db8::7]", "0.0.0.0"]);
    const { cert } = await ensureSelfSigned(selfSignedPaths(ownFolder()), names, today);
    const certificate = new X509Certificate(cert);
    expect(names).toEqual(expect.arrayContaining(["localhost", "127.0.0.1", "::1", "cams.example", "2001:db8::7"]));
    expect(names).not.toContain("0.0.0.0");
    for (const name of names)
      expect(name.includes(":") || /^[\d.]+$/.test(name) ? certificate.checkIP(name) : certificate.checkHost(name)).toBe(name);
    expect(certificate.checkHost("evil.example")).toBeUndefined();
    expect(certificate.ca).toBe(false);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
    const days = (Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / dayMs;
    expect(days).toBeGreaterThan(800);
    expect(days).toBeLessThanOrEqual(825);
  });

  it("self-signed certificate: is renewed before expiry and when a name is missing; earlier names stay", async () => {
    const places = selfSignedPaths(ownFolder());
    const made = await ensureSelfSigned(places, ["localhost", "192.0.2.1"], today);
    expect(await ensureSelfSigned(places, ["localhost"], inDays(750))).toMatchObject({ cert: made.cert });
    const renewed = await ensureSelfSigned(places, ["localhost"], inDays(770));
    expect(renewed.cert).not.toBe(made.cert);
    expect(new X509Certificate(renewed.cert).checkIP("192.0.2.1")).toBe("192.0.2.1");
    const moved = await ensureSelfSigned(places, ["localhost", "198.51.100.1"], inDays(770));
    expect(moved.cert).not.toBe(renewed.cert);
    expect(await ensureSelfSigned(places, ["localhost", "192.0.2.1"], inDays(770))).toMatchObject({ cert: moved.cert });
    // A new IPv6 address every day would otherwise mean a new certificate every day.
    expect(await ensureSelfSigned(places, ["localhost", "2001:db8::1"], inDays(770))).toMatchObject({ cert: moved.cert });
    expect((await ensureSelfSigned(places, ["localhost"], inDays(-5))).cert).not.toBe(moved.cert);
  });

  it("self-signed certificate: is created again when certificate and key do not match", async () => {
    const places = selfSignedPaths(ownFolder());
    const made = await ensureSelfSigned(places, ["localhost"], today);
    copyFileSync((await otherPair()).keyPath, places.keyPath);
    const again = await ensureSelfSigned(places, ["localhost"], today);
    expect(again.cert).not.toBe(made.cert);
    writeFileSync(places.certPath, "cut off");
    expect((await ensureSelfSigned(places, ["localhost"], today)).cert).toContain("BEGIN CERTIFICATE");
  });
});

async function otherPair(names: readonly string[] = ["localhost"]) {
  const places = selfSignedPaths(ownFolder());
  const pair = await ensureSelfSigned(places, names, new Date());
  return { ...places, ...pair };
}

/** The error that a follower of the live messages at `url` gets without a connection. */
async function followed(url: string): Promise<string> {
  const ended = new AbortController();
  let told = "";
  const onState = (state: TailState): void => {
    if (state.kind !== "interrupted") return;
    told = state.problem.message;
    ended.abort();
  };
  for await (const message of tail({ url, signal: ended.signal, onState })) throw new Error(`unexpected ${message.type}`);
  return told;
}

describe("HTTPS", () => {
  it("HTTPS: answers clients that trust the certificate; others get an error with the fix", async () => {
    const { cert, key } = await otherPair(["127.0.0.1"]);
    served = await serve(routes, operations, { keyPair: { cert, key } });
    const client = (fetch?: typeof globalThis.fetch) => createHttpClient({ url: served?.url ?? "", fetch, timeoutMs: 5_000 });
    expect(await client(fetchTrusting(cert)).call(routes.ask, {})).toEqual({ ok: true });
    await expect(client().call(routes.ask, {})).rejects.toThrow(/certificate of https:\S+ is not trusted .*--ca-file or HOMESEC_CA_FILE/);
    await expect(client(fetchTrusting((await otherPair()).cert)).call(routes.ask, {})).rejects.toThrow("not trusted");
    await expect(client(fetchTrusting(rootCertificates[0] ?? "")).call(routes.ask, {})).rejects.toThrow("not trusted");
  });

  it("HTTPS: is valid only for the hosts in the certificate", async () => {
    const { cert, key } = await otherPair(["cams.example"]);
    served = await serve(routes, operations, { keyPair: { cert, key } });
    const client = createHttpClient({ url: served.url, fetch: fetchTrusting(cert), timeoutMs: 5_000 });
    await expect(client.call(routes.ask, {})).rejects.toThrow("not trusted");
    expect((await shown(served.port, cert, "cams.example")).subject.CN).toContain("homesec on ");
  });

  it("HTTPS: needs TLS 1.2 or newer, whatever else a client accepts", async () => {
    const { cert, key } = await otherPair(["127.0.0.1"]);
    served = await serve(routes, operations, { keyPair: { cert, key } });
    const { port } = served;
    const spoken = (maxVersion: SecureVersion) =>
      new Promise<string>((done) => {
        const old = { minVersion: "TLSv1", maxVersion, ciphers: "DEFAULT@SECLEVEL=0" } as const;
        const socket = connect({ port, host: "127.0.0.1", ca: cert, ...old }, () => {
          done(socket.getProtocol() ?? "none");
          socket.end();
        });
        socket.once("error", (error) => done(error.message));
      });
    expect(await spoken("TLSv1.1")).toMatch(/protocol version/);
    expect(await spoken("TLSv1.2")).toBe("TLSv1.2");
    expect(await spoken("TLSv1.3")).toBe("TLSv1.3");
  });

  it("HTTPS: plain HTTP requests get no answer, and the server keeps running", async () => {
    const { cert, key } = await otherPair(["127.0.0.1"]);
    served = await serve(routes, operations, { keyPair: { cert, key } });
    expect(await sendRaw(served.port, "GET /ask HTTP/1.1\r\nHost: localhost\r\n\r\n").catch(() => "")).not.toContain("HTTP/1.1 200");
    await sendRaw(served.port, "\u0000\u0001 rubbish \r\n\r\n").catch(() => "");
    expect((await fetchTrusting(cert)(`${served.url}/ask`)).status).toBe(200);
  });

  it("HTTPS: a client with the wrong scheme is pointed to the right one, for requests and live messages", async () => {
    const { cert, key } = await otherPair(["127.0.0.1"]);
    served = await serve(routes, operations, { keyPair: { cert, key } });
    const tlsUrl = served.url;
    const mistaken = tlsUrl.replace("https", "http");
    const asked = async (url: string) => await createHttpClient({ url, timeoutMs: 5_000 }).call(routes.ask, {});
    await expect(asked(mistaken)).rejects.toThrow(`it closes the connection; a daemon with TLS is at ${tlsUrl});`);
    expect(await followed(mistaken)).toContain(`a daemon with TLS is at ${tlsUrl});`);
    expect(await followed(tlsUrl)).toMatch(/certificate of https:\S+ is not trusted .*--ca-file or HOMESEC_CA_FILE/);
    await served.close();

    served = await serve(routes, operations);
    const plainUrl = served.url;
    const tooMuch = plainUrl.replace("http", "https");
    await expect(asked(tooMuch)).rejects.toThrow(`it speaks no TLS; a daemon without TLS is at ${plainUrl});`);
    expect(await followed(tooMuch)).toContain(`it speaks no TLS; a daemon without TLS is at ${plainUrl});`);
  });

  it("HTTPS: carries WebSockets too", async () => {
    const { cert, key } = await otherPair(["127.0.0.1"]);
    served = await serve(routes, operations, { keyPair: { cert, key } });
    const database = await testDatabase();
    const hub = createHub({
      server: served.server,
      db: database.db,
      config: { websocketIdleTimeoutSeconds: 60 },
      clock: systemClock,
      log: silentLog,
      version: "1.2.3",
    });
    await hub.start();
    const socket = new WebSocket(`${served.url.replace("https", "wss")}/ws/events`, { ca: cert });
    const first = await new Promise((done, fail) => {
      socket.once("message", (data) => done(JSON.parse(String(data))));
      socket.once("error", fail);
    });
    expect(first).toMatchObject({ type: "connected", data: { version: "1.2.3" } });
    const refused = new WebSocket(`${served.url.replace("https", "wss")}/ws/events`);
    expect(await new Promise((done) => refused.once("error", (error: NodeJS.ErrnoException) => done(error.code)))).toBe(
      "DEPTH_ZERO_SELF_SIGNED_CERT",
    );
    socket.terminate();
    await hub.stop();
    await database.close();
  });
});

describe("provided TLS files", () => {
  it("provided TLS files: are used, and reloaded when they are replaced", async () => {
    const first = await otherPair(["127.0.0.1"]);
    const second = await otherPair(["127.0.0.1"]);
    const log = keptLog();
    tls = await openProvided(first.certPath, first.keyPath, log);
    served = await serve(routes, operations, { keyPair: tls?.pair ?? { cert: "", key: "" } });
    tls?.onRenewal((pair) => served?.setKeyPair(pair));
    const trusted = async (cert: string): Promise<boolean> =>
      await fetchTrusting(cert)(`${served?.url}/ask`).then(
        ({ status }) => status === 200,
        () => false,
      );
    expect(await trusted(first.cert)).toBe(true);

    // The new certificate is in place but not its key. The current pair stays, and the fault is logged once.
    copyFileSync(second.certPath, first.certPath);
    await tls?.check();
    await tls?.check();
    expect(await trusted(first.cert)).toBe(true);
    expect(log.lines.filter(({ level }) => level === "error")).toHaveLength(1);

    copyFileSync(second.keyPath, first.keyPath);
    await tls?.check();
    expect(await trusted(second.cert)).toBe(true);
    expect(await trusted(first.cert)).toBe(false);
    expect(log.lines.at(-1)?.message).toBe("a new TLS certificate is in use");
  });

  it("provided TLS files: unusable ones prevent the start, each with its reason", async () => {
    const good = await otherPair();
    const place = ownFolder();
    const file = (name: string, text: string): string => {
      const path = join(place, name);
      writeFileSync(path, text);
      return path;
    };
    const notPem = file("not.pem", "this is no certificate");
    const locked = file("locked.pem", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n");
    for (const [cert, key, text] of [
      [join(place, "missing.pem"), good.keyPath, "TLS_CERT_PATH"],
      [join(place, "missing.pem"), good.keyPath, "it does not exist"],
      [place, good.keyPath, "it is a folder"],
      [good.certPath, join(place, "missing.pem"), "TLS_KEY_PATH"],
      [notPem, good.keyPath, "holds no certificate in PEM form"],
      [good.certPath, notPem, "holds no private key in PEM form"],
      [good.certPath, good.certPath, "holds no private key in PEM form"],
      [good.certPath, locked, "protected by a passphrase"],
      [good.certPath, (await otherPair()).keyPath, "is not the key of the first certificate"],
    ] as const) {
      await expect(openProvided(cert, key)).rejects.toMatchObject({
        name: "Problem",
        kind: "invalid",
        message: expect.stringContaining(text),
      });
    }
  });

  it("provided TLS files: expired ones are used with a warning", async () => {
    const places = selfSignedPaths(ownFolder());
    await ensureSelfSigned(places, ["localhost"], new Date("2020-01-01T00:00:00Z"));
    const log = keptLog();
    tls = await openProvided(places.certPath, places.keyPath, log);
    expect(log.lines).toMatchObject([{ level: "warn", message: "the TLS certificate is no longer valid; clients will refuse it" }]);
  });

  it.skipIf(process.getuid?.() === 0)("provided TLS files: a file without read permission is named", async () => {
    const { certPath, keyPath } = await otherPair();
    chmodSync(keyPath, 0);
    await expect(openProvided(certPath, keyPath)).rejects.toThrow("this user may not read it");
  });
});

it("TLS: nothing is opened when it is disabled", async () => {
  expect(await openTls({ ...base, tlsMode: "disabled", dataDir: "/nonexistent" }, { clock: systemClock, log: silentLog })).toBeUndefined();
});
