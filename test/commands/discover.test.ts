import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ServedDesk, serveDesk } from "../support/served-desk.ts";

const security = /<w:Username>viewer<\/w:Username>.*PasswordDigest">([^<]+)<.*Base64Binary">([^<]+)<.*<u:Created[^>]*>([^<]+)</;
const envelope = (body: string): string =>
  `<?xml version="1.0"?><SOAP-ENV:Envelope xmlns:SOAP-ENV="http://www.w3.org/2003/05/soap-envelope" xmlns:tt="t" xmlns:trt="m" xmlns:d="d"><SOAP-ENV:Body>${body}</SOAP-ENV:Body></SOAP-ENV:Envelope>`;
const requests: string[] = [];
let served: ServedDesk;
let end = async (): Promise<void> => {};
let target = "";
let port = 0;

/** A camera as ONVIF describes it. It names its addresses on another network, as cameras behind a router do. */
async function answer(body: string): Promise<string> {
  if (body.includes("GetSystemDateAndTime"))
    return "<tt:UTCDateTime><tt:Time><tt:Hour>1</tt:Hour><tt:Minute>2</tt:Minute><tt:Second>3</tt:Second></tt:Time><tt:Date><tt:Year>2001</tt:Year><tt:Month>2</tt:Month><tt:Day>3</tt:Day></tt:Date></tt:UTCDateTime>";
  const [, hash, nonce = "", created = ""] = security.exec(body) ?? [];
  const right = await crypto.subtle.digest("SHA-1", Buffer.concat([Buffer.from(nonce, "base64"), Buffer.from(`${created}s3cret&<`)]));
  if (created !== "2001-02-03T01:02:03.000Z" || hash !== Buffer.from(right).toString("base64")) return "<Fault>ter:NotAuthorized</Fault>";
  if (body.includes("GetCapabilities")) return `<tt:Media><tt:XAddr>http://192.168.99.99:${port}/media</tt:XAddr></tt:Media>`;
  const profile = (token: string, width: number): string =>
    `<trt:Profiles token="${token}"><tt:Name>${token}</tt:Name><tt:VideoEncoderConfiguration><tt:Resolution><tt:Width>${width}</tt:Width><tt:Height>${width / 2}</tt:Height></tt:Resolution></tt:VideoEncoderConfiguration></trt:Profiles>`;
  if (body.includes("GetProfiles")) return profile("main", 1920) + profile("sub", 640);
  const token = /<ProfileToken>(\w+)</.exec(body)?.[1];
  if (body.includes("GetSnapshotUri"))
    return token === "main" ? `<trt:MediaUri><tt:Uri>http://192.168.99.99:${port}/snap.jpg?a=1&amp;b=2</tt:Uri></trt:MediaUri>` : "";
  return `<trt:MediaUri><tt:Uri>rtsp://192.168.99.99:554/${token}</tt:Uri></trt:MediaUri>`;
}

beforeAll(async () => {
  served = await serveDesk();
  const picture = await sharp({ create: { width: 640, height: 480, channels: 3, background: "#486" } })
    .jpeg()
    .toBuffer();
  const server = createServer(async (request, response) => {
    if (request.method === "GET") return void response.end(picture);
    let body = "";
    for await (const chunk of request) body += String(chunk);
    requests.push(body);
    response.end(envelope(await answer(body)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
  const device = createSocket("udp4");
  device.on("message", (message, { port: asker, address }) => {
    if (!message.toString().includes("NetworkVideoTransmitter")) return;
    const scopes = "onvif://www.onvif.org/name/Porch%20camera onvif://www.onvif.org/hardware/M1";
    const match = (urls: string): string =>
      `<d:ProbeMatches><d:ProbeMatch><d:Scopes>${scopes}</d:Scopes><d:XAddrs>${urls}</d:XAddrs></d:ProbeMatch></d:ProbeMatches>`;
    device.send(envelope(match(`http://[fe80::1]/x http://127.0.0.1:${port}/onvif/device_service`)), asker, address);
    // One that would lead to another machine, and one that is no XML
    device.send(envelope(match("http://192.168.99.98/onvif/device_service")), asker, address);
    device.send("<<<", asker, address);
  });
  device.bind(0, "127.0.0.1");
  await once(device, "listening");
  target = `127.0.0.1:${device.address().port}`;
  end = async () => {
    device.close();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
});
afterAll(async () => {
  await end();
  await served.close();
});

const homesec = (...args: string[]) =>
  served.homesec("over HTTP", args, { env: { HOMESEC_DISCOVERY_TARGET: target, HOMESEC_CAMERA_PASSWORD: "s3cret&<" } });

it("cameras discover: lists cameras, and says that they want a user", async () => {
  const { code, out } = await homesec("cameras", "discover", "--timeout", "1s");
  expect(code).toBe(0);
  expect(out).toMatch(/^NO +ADDRESS +NAME +PICTURES\n1 +127\.0\.0\.1 +Porch camera, M1 +the camera asks for a user and a password/);
  expect(out.trim().split("\n")).toHaveLength(2);
});

it("cameras discover: asks a camera with its user, and never sends the password itself", async () => {
  const { out } = await homesec("cameras", "discover", "--timeout", "1s", "--user", "viewer", "-o", "json");
  expect(JSON.parse(out).cameras).toEqual([
    {
      ...{ number: 1, address: "127.0.0.1", name: "Porch camera", model: "M1", fault: null },
      ...{ snapshot_url: `http://127.0.0.1:${port}/snap.jpg?a=1&b=2`, url: `http://127.0.0.1:${port}/snap.jpg?a=1&b=2` },
      stream_urls: ["rtsp://127.0.0.1:554/main", "rtsp://127.0.0.1:554/sub"],
    },
  ]);
  expect(requests.join("")).not.toMatch(/s3cret/);
});

it("cameras discover: adds a camera by its number, and fetches its pictures", async () => {
  const missing = await homesec("cameras", "discover", "--timeout", "1s", "--user", "viewer", "--add", "7");
  expect(missing).toMatchObject({ code: 3, err: expect.stringContaining("there is no camera 7 in the list of 1") });
  const { code, err } = await homesec("cameras", "discover", "--timeout", "1s", "--user", "viewer", "--add", "1");
  expect(code).toBe(0);
  expect(err).toContain("Porch camera works: 640 x 480");
  expect(err).toContain(`camera porch_camera added; homesec fetches its pictures from http://127.0.0.1:${port}/snap.jpg?a=1&b=2`);
  const shown = (await homesec("cameras", "show", "porch_camera")).out;
  expect(shown).toMatch(/fetched from +http:\/\/127\.0\.0\.1:\d+\/snap\.jpg\?a=1&b=2 as viewer/);
  expect(shown).toMatch(/interval +2 s, kept if 0\.3 % changed/);
});

it("cameras update: changes how pictures are fetched, and stops it", async () => {
  expect((await homesec("cameras", "update", "porch_camera", "--every", "5s", "--threshold", "1")).err).toContain("works: 640 x 480");
  expect((await homesec("cameras", "show", "porch_camera")).out).toMatch(/interval +5 s, kept if 1 % changed/);
  expect((await homesec("cameras", "update", "porch_camera", "--pull", "off")).err).toContain("homesec no longer fetches pictures");
  expect((await homesec("cameras", "show", "porch_camera")).out).not.toContain("fetched from");
  expect(await homesec("cameras", "add", "Gate", "--pull", "http://169.254.169.254/")).toMatchObject({ code: 2 });
  const added = await homesec("cameras", "add", "Gate", "--pull", "http://127.0.0.1:1/snap.jpg");
  expect(added).toMatchObject({ code: 0, err: expect.stringContaining("no picture from Gate yet: connection refused at 127.0.0.1:1") });
});
