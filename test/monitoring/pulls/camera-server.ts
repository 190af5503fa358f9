import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** How the camera behaves. */
export interface CameraBehaviour {
  readonly picture?: Buffer;
  /** Default: a free one. */
  readonly port?: number;
  readonly auth?: { readonly kind: "basic" | "digest"; readonly user: string; readonly password: string; readonly algorithm?: string };
  /** A nonce is refused as stale after this many requests. */
  readonly nonceLasts?: number;
  readonly answer?: (request: IncomingMessage, response: ServerResponse) => void;
}

/** A real HTTP server in place of a camera, with the authentication of RFC 7617 and RFC 7616, and `ETag`. */
export async function cameraServer(first: CameraBehaviour) {
  let behaviour = first;
  let nonce = randomBytes(8).toString("hex");
  let uses = 0;
  const counts = new Set<string>();
  const requests: IncomingMessage[] = [];
  const connections = new Set<unknown>();
  const server = createServer((request, response) => {
    requests.push(request);
    const { auth, picture = Buffer.alloc(0), answer, nonceLasts = Number.POSITIVE_INFINITY } = behaviour;
    if (auth && !isAllowed(request, auth)) return;
    if (answer) return answer(request, response);
    const etag = `"${createHash("sha256").update(picture).digest("hex").slice(0, 12)}"`;
    if (request.headers["if-none-match"] === etag) return void response.writeHead(304, { etag }).end();
    response.writeHead(200, { "content-type": "image/jpeg", "content-length": picture.length, etag }).end(picture);

    function isAllowed({ headers, method, url }: IncomingMessage, asked: NonNullable<CameraBehaviour["auth"]>): boolean {
      const given = headers.authorization ?? "";
      const { kind, user, password, algorithm = "MD5" } = asked;
      const refuse = (stale: boolean): false => {
        nonce = randomBytes(8).toString("hex");
        [uses] = [0];
        const digest = `Digest realm="a, camera", qop="auth,auth-int", algorithm=${algorithm}, nonce="${nonce}", opaque="o=1"${stale ? ", stale=true" : ""}`;
        response.writeHead(401, { "www-authenticate": kind === "basic" ? 'Basic realm="camera"' : digest }).end("no");
        return false;
      };
      if (kind === "basic") return given === `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` || refuse(false);
      const value = (name: string): string => new RegExp(`(?<![a-z])${name}="?([^",]*)`).exec(given)?.[1] ?? "";
      const hash = (text: string): string =>
        createHash(algorithm.startsWith("SHA") ? "sha256" : "md5")
          .update(text)
          .digest("hex");
      const secret = hash(`${user}:a, camera:${password}`);
      const base = algorithm.endsWith("-sess") ? hash(`${secret}:${nonce}:${value("cnonce")}`) : secret;
      const right = hash(`${base}:${nonce}:${value("nc")}:${value("cnonce")}:auth:${hash(`${method}:${url}`)}`);
      const isFresh = !counts.has(`${nonce} ${value("nc")}`);
      counts.add(`${nonce} ${value("nc")}`);
      const isRight = isFresh && value("response") === right && value("opaque") === "o=1";
      uses += 1;
      return isRight && uses <= nonceLasts ? true : refuse(isRight);
    }
  });
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.on("error", () => {});
  });
  server.listen(first.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/snap.jpg`,
    requests: requests as readonly IncomingMessage[],
    connections: () => connections.size,
    behave: (next: CameraBehaviour) => {
      behaviour = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}
