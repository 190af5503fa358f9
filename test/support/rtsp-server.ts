import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** What the server does with a viewer. */
export interface RtspBehaviour {
  readonly auth?: { readonly kind: "basic" | "digest"; readonly user: string; readonly password: string };
  /** Accepts a viewer and sends it no picture. */
  readonly isSilent?: boolean;
  /** Closes a viewer's connection after this time. */
  readonly closesAfterMs?: number;
  /** Input options of ffmpeg for the stream. Default: a test card. */
  readonly source?: readonly string[];
}

/**
 * A real RTSP server (RFC 2326) on loopback, whose stream is what ffmpeg encodes: H.264 of 640 x 480 with 10 frames per second, sent over the
 * viewer's connection.
 */
export async function rtspServer(first: RtspBehaviour = {}) {
  let behaviour = first;
  const viewers = new Set<Socket>();
  const playing = new Set<Socket>();
  const requests: string[] = [];
  const media = createSocket("udp4");
  media.bind(0, "127.0.0.1");
  await once(media, "listening");
  const encoder = encode(media.address().port, first.source ?? testCard);
  const sdp = await sdpOf(encoder);
  media.on("message", (packet) => {
    const head = Buffer.from([0x24, 0, packet.length >> 8, packet.length & 255]);
    for (const viewer of playing) if (!behaviour.isSilent && viewer.writableLength < 1_000_000) viewer.write(Buffer.concat([head, packet]));
  });
  const server = createServer((socket) => {
    viewers.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      viewers.delete(socket);
      playing.delete(socket);
    });
    if (behaviour.closesAfterMs !== undefined) setTimeout(() => socket.destroy(), behaviour.closesAfterMs);
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      for (let end = text.indexOf("\r\n\r\n"); end >= 0; end = text.indexOf("\r\n\r\n")) {
        const request = text.slice(0, end).replace(/^\$[\s\S]*?(?=[A-Z]+ rtsp)/, "");
        text = text.slice(end + 4);
        requests.push(request);
        answer(socket, request, { sdp, behaviour, playing });
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `rtsp://127.0.0.1:${port}/live`,
    port,
    requests: requests as readonly string[],
    viewers: () => viewers.size,
    behave: (next: RtspBehaviour) => {
      behaviour = next;
    },
    /** Closes all connections, as a restart of the camera does. */
    drop: () => {
      for (const viewer of viewers) viewer.destroy();
    },
    close: async () => {
      for (const viewer of viewers) viewer.destroy();
      encoder.kill("SIGKILL");
      media.close();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

interface State {
  readonly sdp: string;
  readonly behaviour: RtspBehaviour;
  readonly playing: Set<Socket>;
}

function answer(socket: Socket, request: string, { sdp, behaviour, playing }: State): void {
  const [method = "", uri = ""] = request.split(" ");
  const sequence = /^CSeq: *(\d+)/im.exec(request)?.[1] ?? "0";
  const { auth } = behaviour;
  const replies: Readonly<Record<string, readonly [headers: readonly string[], body?: string]>> = {
    OPTIONS: [["Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN"]],
    DESCRIBE: [["Content-Type: application/sdp", `Content-Base: ${uri}/`, `Content-Length: ${sdp.length}`], sdp],
    SETUP: [["Transport: RTP/AVP/TCP;unicast;interleaved=0-1", "Session: 1"]],
  };
  const isRefused = auth !== undefined && method !== "OPTIONS" && !isAllowed(request, method, auth);
  const challenge = auth?.kind === "basic" ? 'Basic realm="camera"' : 'Digest realm="camera", nonce="4f2a", algorithm="MD5"';
  const [headers, body = ""] = isRefused ? [[`WWW-Authenticate: ${challenge}`]] : (replies[method] ?? [["Session: 1"]]);
  socket.write([`RTSP/1.0 ${isRefused ? "401 Unauthorized" : "200 OK"}`, `CSeq: ${sequence}`, ...headers, "", body].join("\r\n"));
  if (method === "PLAY" && !isRefused) playing.add(socket);
}

function isAllowed(request: string, method: string, { kind, user, password }: NonNullable<RtspBehaviour["auth"]>): boolean {
  const given = /^Authorization: *(.*)$/im.exec(request)?.[1] ?? "";
  if (kind === "basic") return given === `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  const value = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(given)?.[1] ?? "";
  const md5 = (text: string): string => createHash("md5").update(text).digest("hex");
  return value("response") === md5(`${md5(`${user}:camera:${password}`)}:4f2a:${md5(`${method}:${value("uri")}`)}`);
}

const testCard = ["-re", "-f", "lavfi", "-i", "testsrc2=size=640x480:rate=10"];

function encode(port: number, source: readonly string[]): ChildProcess {
  return spawn(
    "ffmpeg",
    [
      ...["-hide_banner", "-nostdin", "-loglevel", "error", ...source],
      ...["-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-g", "10", "-threads", "1", "-pix_fmt", "yuv420p"],
      ...["-f", "rtp", `rtp://127.0.0.1:${port}?pkt_size=1200`],
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
}

/** ffmpeg prints the description of its stream when it begins. */
async function sdpOf(encoder: ChildProcess): Promise<string> {
  let text = "";
  for await (const chunk of encoder.stdout as NonNullable<typeof encoder.stdout>) {
    text += String(chunk);
    if (/a=fmtp/.test(text)) break;
  }
  const lines = text.split(/\r?\n/).filter((line) => /^[a-z]=/.test(line));
  return `${lines.map((line) => line.replace(/^m=video \d+/, "m=video 0")).join("\r\n")}\r\na=control:track1\r\n`;
}
