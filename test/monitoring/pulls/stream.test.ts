import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readStream } from "../../../src/monitoring/pulls/stream.ts";
import { type RtspBehaviour, rtspServer } from "../../support/rtsp-server.ts";

const credentials = { user: "admin", password: "p@ss:w/r'd" };
const hasFfmpeg = spawnSync("ffmpeg", ["-version"]).status === 0;
if (!hasFfmpeg) process.stderr.write("ffmpeg is not installed: the tests of streams are skipped\n");

/** Reads a stream until it has given this many pictures, and returns them with the reason of its end. */
async function pull(url: string, options: Partial<Parameters<typeof readStream>[0]> = {}, count = 2) {
  const stop = new AbortController();
  const pictures: { readonly width: number | null; readonly height: number | null }[] = [];
  const pids: number[] = [];
  const reason = await readStream({
    ...{ url, credentials: undefined, everyMs: 500, silentMs: 8_000, signal: stop.signal },
    onProcess: (pid) => pids.push(pid),
    onPicture: async ({ width, height }) => {
      pictures.push({ width, height });
      if (pictures.length === count) stop.abort();
    },
    ...options,
  }).catch((error: Error) => error.message);
  return { pictures, reason, pids };
}

async function served<T>(behaviour: RtspBehaviour, run: (server: Awaited<ReturnType<typeof rtspServer>>) => Promise<T>): Promise<T> {
  const server = await rtspServer(behaviour);
  try {
    return await run(server);
  } finally {
    await server.close();
  }
}

/** The arguments of all processes of this machine. */
function allArguments(): string {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const read = (path: string): string => {
    try {
      return readFileSync(path, "latin1");
    } catch {
      return "";
    }
  };
  return processes.map((pid) => read(`/proc/${pid}/cmdline`).replaceAll("\0", " ")).join("\n");
}

describe.skipIf(!hasFfmpeg)("streams", () => {
  it.each(["basic", "digest"] as const)(
    "streams: gives pictures of a camera with %s authentication, and hides the password",
    async (kind) => {
      await served({ auth: { kind, ...credentials } }, async ({ url }) => {
        let seen = "";
        const onProcess = (): void => {
          seen = allArguments();
          setTimeout(() => {
            seen += allArguments();
          }, 300);
        };
        const { pictures, reason } = await pull(url, { credentials, onProcess });
        expect(reason).toBe("stopped");
        expect(pictures).toEqual([
          { width: 640, height: 480 },
          { width: 640, height: 480 },
        ]);
        expect(seen).toContain("-f concat");
        expect(seen).not.toMatch(/p@ss|p%40ss|rtsp:\/\//);
      });
    },
  );

  it("streams: name a wrong password, without repeating it", async () => {
    await served({ auth: { kind: "digest", ...credentials } }, async ({ url }) => {
      const wrong = { user: "admin", password: "not-this-one" };
      expect((await pull(url, { credentials: wrong })).reason).toBe("401: the camera refused the password of user admin; enter it again");
      expect((await pull(url)).reason).toBe("401: the camera asks for a user and a password; enter them with the address");
    });
  });

  it("streams: end after a time without a picture, and leave no ffmpeg behind", async () => {
    await served({ isSilent: true }, async ({ url, port }) => {
      const { reason, pids } = await pull(url, { silentMs: 1_500 });
      expect(reason).toBe(`no picture from 127.0.0.1:${port} for 2 s`);
      expect(() => process.kill(pids[0] ?? 0, 0)).toThrow("ESRCH");
    });
  });

  it("streams: say that nothing listens, that ffmpeg is missing, and that an address is never called", async () => {
    expect((await pull("rtsp://127.0.0.1:1/live")).reason).toBe("connection refused at 127.0.0.1:1; switch RTSP on in the camera");
    const missing = await pull("rtsp://127.0.0.1:1/live", { command: "/nonexistent/ffmpeg" });
    expect(missing.reason).toContain("Debian: apt-get install ffmpeg");
    const rebound = await pull("rtsp://camera.lan/live", { resolve: async () => ["169.254.169.254"] });
    expect(rebound.reason).toBe("camera.lan is at 169.254.169.254, a link-local or reserved address, which is never called");
  });

  it("streams: say that a camera closed the connection", async () => {
    await served({ closesAfterMs: 2_000 }, async ({ url, port }) => {
      expect((await pull(url, {}, 99)).reason).toBe(`the stream of 127.0.0.1:${port} ended; homesec connects again`);
    });
  });
});
