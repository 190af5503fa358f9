import sharp from "sharp";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { SnapshotSource } from "../../../src/monitoring/pulls/snapshot.ts";
import { type CameraBehaviour, cameraServer } from "./camera-server.ts";

const credentials = { user: "viewer", password: 'a"b, c=\\d' };
let picture: Buffer;
let camera: Awaited<ReturnType<typeof cameraServer>>;
let source: SnapshotSource;

beforeAll(async () => {
  picture = await sharp({ create: { width: 640, height: 480, channels: 3, background: "#486" } })
    .jpeg()
    .toBuffer();
});
afterEach(async () => {
  source.close();
  await camera.close();
});
afterAll(() => sharp.cache(false));

async function serve(behaviour: CameraBehaviour, login: typeof credentials | undefined = undefined, path = ""): Promise<void> {
  camera = await cameraServer({ picture, ...behaviour });
  source = new SnapshotSource({ url: camera.url + path, credentials: login });
}

/** The picture's size, "unchanged", or the text of the fault. */
async function pull(timeoutMs = 5_000): Promise<string> {
  try {
    const pulled = await source.fetch({ timeoutMs });
    return pulled === "unchanged" ? pulled : `${pulled.mediaType} ${pulled.width} x ${pulled.height}`;
  } catch (error) {
    return (error as Error).message;
  }
}

const jpeg = "image/jpeg 640 x 480";
const answers = (status: number, type: string, body: string | Buffer) => ({
  answer: (_: unknown, response: import("node:http").ServerResponse) => void response.writeHead(status, { "content-type": type }).end(body),
});

describe("snapshots", () => {
  it("snapshots: are fetched over one connection, and not sent again while they are the same", async () => {
    await serve({});
    expect([await pull(), await pull(), await pull()]).toEqual([jpeg, "unchanged", "unchanged"]);
    expect(camera.connections()).toBe(1);
    camera.behave({ picture: Buffer.concat([picture, Buffer.from("\n")]) });
    expect(await pull()).toBe(jpeg);
  });

  it.each(["MD5", "MD5-sess", "SHA-256"])(
    "snapshots: answer digest authentication with %s, with one refusal for each nonce",
    async (algorithm) => {
      await serve({ auth: { kind: "digest", ...credentials, algorithm }, nonceLasts: 3 }, credentials);
      for (let count = 0; count < 7; count += 1) expect(await pull()).toMatch(/image\/jpeg|unchanged/);
      // 7 pictures and a refusal before the first, fourth and seventh of them
      expect(camera.requests.length).toBe(10);
      expect(JSON.stringify(camera.requests.map(({ headers }) => headers))).not.toContain(JSON.stringify(credentials.password));
    },
  );

  it("snapshots: send basic authentication only to a camera that asks for it", async () => {
    await serve({ auth: { kind: "basic", ...credentials } }, credentials);
    expect([await pull(), await pull()]).toEqual([jpeg, "unchanged"]);
    expect(camera.requests.map(({ headers }) => headers.authorization !== undefined)).toEqual([false, true, true]);
  });

  it.each(["basic", "digest"] as const)(
    "snapshots: name a wrong password for %s authentication, with one attempt per picture",
    async (kind) => {
      await serve({ auth: { kind, ...credentials } }, { user: "viewer", password: "wrong" });
      expect(await pull()).toBe("401: the camera refused the password of user viewer; enter it again");
      expect(camera.requests.length).toBe(2);
    },
  );

  it("snapshots: put the password into the address where a camera wants it", async () => {
    await serve({}, credentials, "?user=viewer&pwd={password}");
    expect(await pull()).toBe(jpeg);
    expect(camera.requests[0]?.url).toBe(`/snap.jpg?user=viewer&pwd=${encodeURIComponent(credentials.password)}`);
  });

  it.each<[string, CameraBehaviour, string | RegExp]>([
    ["a camera that wants a login", { auth: { kind: "digest", ...credentials } }, /^401: the camera asks for a user and a password/],
    ["a page", answers(200, "text/html; charset=utf-8", "<html>"), "answered text/html, not a picture: open the address in a browser"],
    ["a page that claims to be a picture", answers(200, "image/jpeg", "<html>login"), /^answered a picture that homesec cannot read/],
    ["no content", answers(200, "image/jpeg", ""), /^the camera answered without a picture/],
    ["a missing page", answers(404, "text/html", "gone"), /^404: there is no picture at this address/],
    ["a refusal", answers(403, "text/html", "no"), /^403: the camera does not let anyone read pictures/],
    ["a fault", answers(500, "text/html", "no"), /^the camera answered with status 500/],
  ])("snapshots: name the fault and the fix for %s", async (_, behaviour, text) => {
    await serve(behaviour);
    expect(await pull()).toMatch(text);
  });

  it("snapshots: a picture counts by its bytes, whatever its media type says", async () => {
    await serve(answers(200, "text/plain", picture));
    expect(await pull()).toBe(jpeg);
  });

  it("snapshots: end a hanging, a slow and an endless answer", async () => {
    await serve({ answer: () => {} });
    expect(await pull(300)).toBe(`no complete answer from 127.0.0.1:${camera.port} within 0.3 s`);
    camera.behave({
      answer: (_, response) => {
        response.writeHead(200, { "content-type": "image/jpeg" });
        const drip = setInterval(() => response.write(picture.subarray(0, 10)), 50);
        response.on("close", () => clearInterval(drip));
      },
    });
    expect(await pull(300)).toBe(`no complete answer from 127.0.0.1:${camera.port} within 0.3 s`);
    camera.behave({
      answer: (_, response) => {
        const pour = (): void => {
          while (response.write(Buffer.alloc(1024 * 1024)) && !response.destroyed);
          response.once("drain", pour);
        };
        pour();
      },
    });
    expect(await pull(10_000)).toMatch(/^the picture is larger than 20 MB/);
    camera.behave({ answer: (_, response) => void response.writeHead(200, { "content-length": "99999999" }).write("x") });
    expect(await pull()).toMatch(/^the picture is larger than 20 MB/);
  });

  it("snapshots: a picture that breaks off is no picture", async () => {
    await serve({
      answer: (_, response) => {
        response.writeHead(200, { "content-length": String(picture.length) }).write(picture.subarray(0, 300));
        setTimeout(() => response.destroy(), 20);
      },
    });
    expect(await pull()).toBe(`127.0.0.1:${camera.port}: the connection was closed before the picture was complete`);
    camera.behave(answers(200, "image/jpeg", picture.subarray(0, 300)));
    expect(await pull()).toBe("the camera sent only a part of a picture");
  });

  it.each([true, false])("snapshots: take one picture of an MJPEG stream (with the length of each part: %s)", async (hasLength) => {
    await serve({
      answer: (_, response) => {
        response.writeHead(200, { "content-type": 'multipart/x-mixed-replace; boundary="--frame"' });
        const part = Buffer.concat([
          Buffer.from(`--frame\r\nContent-Type: image/jpeg\r\n${hasLength ? `Content-Length: ${picture.length}\r\n` : ""}\r\n`),
          picture,
          Buffer.from("\r\n"),
        ]);
        const timer = setInterval(() => response.write(part), 20);
        response.on("close", () => clearInterval(timer));
      },
    });
    expect([await pull(), await pull()]).toEqual([jpeg, jpeg]);
    await expect.poll(() => camera.requests.every(({ socket }) => socket.destroyed)).toBe(true);
  });

  it("snapshots: follow a redirect of the same host only", async () => {
    const elsewhere = await cameraServer({ picture });
    await serve({
      answer: (request, response) => {
        if (request.url === "/there") response.end(picture);
        else response.writeHead(302, { location: "/there" }).end();
      },
    });
    expect(await pull()).toBe(jpeg);
    for (const [location, text] of [
      [`http://localhost:${elsewhere.port}/`, /redirects to another host, localhost/],
      ["http://169.254.169.254/latest", /redirects to another host/],
      ["/snap.jpg", /redirects in a circle/],
      ["file:///etc/passwd", /redirects to another host|from http/],
    ] as const) {
      camera.behave({ answer: (_, response) => void response.writeHead(302, { location }).end() });
      expect(await pull()).toMatch(text);
    }
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.close();
  });

  it("snapshots: never connect to a metadata service, also behind a name, and name a refused connection", async () => {
    camera = await cameraServer({ picture });
    const { port } = camera;
    source = new SnapshotSource({ url: `http://camera.lan:${port}/`, credentials: undefined, resolve: async () => ["169.254.169.254"] });
    expect(await pull()).toBe("camera.lan is at 169.254.169.254, a link-local or reserved address, which is never called");
    source.close();
    source = new SnapshotSource({ url: "http://127.0.0.1:1/snap.jpg", credentials: undefined });
    expect(await pull()).toBe("connection refused at 127.0.0.1:1");
  });
});
