import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { Agent, get } from "node:https";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterAll, describe, expect, it } from "vitest";
import { ensureSelfSigned } from "../../../daemon/tls/self-signed.ts";
import { fetchTrusting } from "../../../src/monitoring/upstream/http.ts";
import { type KeyPair, selfSignedPaths } from "../../../src/platform/tls/key-pair.ts";
import { noServices, testDaemon } from "../../support/daemon.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { keptLog } from "../http/support.ts";

const folder = temporaryFolder("renewal");
afterAll(() => folder.remove());

/** Puts a new key pair into a folder as certbot does. */
async function newPair(name: string): Promise<KeyPair> {
  const pair = await ensureSelfSigned(selfSignedPaths(join(folder.path, `made-${name}`)), ["localhost", "127.0.0.1"], new Date());
  const place = join(folder.path, "archive", name);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "cert.pem"), pair.cert);
  writeFileSync(join(place, "key.pem"), pair.key);
  return pair;
}

function link(target: string): void {
  symlinkSync(target, join(folder.path, "live.new"));
  renameSync(join(folder.path, "live.new"), join(folder.path, "live"));
}

/** The certificate that a new TLS connection gets, as PEM without line breaks. */
const shownAt = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.toString() ?? "");
      socket.end();
    });
    socket.once("error", reject);
  });

describe("TLS certificate of a running daemon", () => {
  it("renewal: new connections get the new certificate, running ones stay, and wrong files keep the previous one", async () => {
    const [first, second] = [await newPair("one"), await newPair("two")];
    link("archive/one");
    const log = keptLog();
    const daemon = await testDaemon({
      log,
      env: {
        TLS_MODE: "provided",
        TLS_CERT_PATH: join(folder.path, "live/cert.pem"),
        TLS_KEY_PATH: join(folder.path, "live/key.pem"),
        ...noServices,
        HEALTH_CACHE_TTL_SECONDS: "0",
      },
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: first.cert });
    /** Sends a request over the agent's one connection. Resolves to the local port. */
    const ask = (): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const request = get(`${daemon.url}/health`, { agent }, (response) => {
          const port = response.socket.localPort;
          response.resume().once("end", () => resolve(port));
        });
        request.once("error", reject);
      });
    try {
      const port = await ask();
      expect(await shownAt(daemon.port)).toBe(first.cert);

      link("archive/two");
      await expect.poll(() => shownAt(daemon.port)).toBe(second.cert);
      expect((await fetchTrusting(second.cert)(`${daemon.url}/health`)).status).toBe(200);
      expect(await ask()).toBe(port);

      // a key that does not belong to the certificate
      writeFileSync(join(folder.path, "archive/two/key.pem"), first.key);
      const events = async () => {
        const reply = await fetchTrusting(second.cert)(`${daemon.url}/api/system/health`);
        return ((await reply.json()) as { recent_events: { service: string; event_type: string; message: string }[] }).recent_events;
      };
      await expect
        .poll(events)
        .toContainEqual(
          expect.objectContaining({ service: "tls", event_type: "not_applied", message: expect.stringContaining("TLS_KEY_PATH") }),
        );
      expect(await shownAt(daemon.port)).toBe(second.cert);
      expect(log.lines.filter(({ message }) => message.includes("cannot be renewed"))).toHaveLength(1);

      writeFileSync(join(folder.path, "archive/two/key.pem"), second.key);
      await expect.poll(async () => (await events()).filter(({ service }) => service === "tls")).toEqual([]);
      expect(log.lines.map(({ message }) => message)).toContain("the TLS certificate files can be used again");
    } finally {
      agent.destroy();
      await daemon.stop();
    }
  });
});
