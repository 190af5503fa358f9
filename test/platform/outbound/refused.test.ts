import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createOutbound } from "../../../src/platform/outbound/outbound.ts";
import { type Connects, recordConnects } from "./connects.ts";
import { type NameServer, startNameServer } from "./name-server.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

const imds = "169.254.169.254";
const nothing = () => Promise.reject(Object.assign(new Error("queryA ENOTFOUND"), { code: "ENOTFOUND" }));

let receiver: Receiver;
let connects: Connects;

beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());
beforeEach(() => {
  connects = recordConnects();
});
afterEach(() => connects.stop());

const send = (url: string, resolve: (name: string) => Promise<readonly string[]> = nothing) => {
  const outbound = createOutbound({ allow: [], resolve });
  const request = { url, headers: {}, body: "{}", timeoutMs: 3_000 };
  return { outbound, answer: outbound.post(request) };
};

/** Every notation of an address that must not be called. None of them may cause even a lookup. */
const literals = [
  // Link-local and metadata in every notation
  "http://169.254.169.254/latest/meta-data/",
  "https://169.254.169.254/",
  "http://169.254.169.254:80/",
  "http://169.254.169.254:8080/",
  "http://169.254.169.254./",
  "http://2852039166/",
  "http://0xA9FEA9FE/",
  "http://0xa9fea9fe:80/",
  "http://025177524776/",
  "http://0251.0376.0251.0376/",
  "http://0251.254.0xa9.254/",
  "http://0xa9.0xfe.0xa9.0xfe/",
  "http://169.254.43518/",
  "http://169.16689662/",
  "http://0xa9.16689662/",
  "http://00000251.254.169.254/",
  "http://169.254.0.23/",
  "http://169.254.170.2/v2/credentials",
  "http://%31%36%39.254.169.254/",
  "http://169%2e254%2e169%2e254/",
  "http://１６９.２５４.１６９.２５４/",
  "http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/",
  "http://169。254。169。254/",
  "http:169.254.169.254/",
  "http:\\\\169.254.169.254\\",
  "http:///169.254.169.254/",
  "HTTP://169.254.169.254/",
  " http://169.254.169.254/\t",
  "http://169.254.\t169.254/",
  // IPv4 inside IPv6
  "http://[::ffff:169.254.169.254]/",
  "http://[::FFFF:a9fe:a9fe]/",
  "http://[0:0:0:0:0:ffff:a9fe:a9fe]/",
  "http://[::169.254.169.254]/",
  "http://[::ffff:0:169.254.169.254]/",
  "http://[64:ff9b::169.254.169.254]/",
  "http://[64:ff9b::a9fe:a9fe]:443/",
  "http://[64:ff9b:1::a9fe:a9fe]/",
  "http://[64:ff9b:1:a9fe:a9:fe00:808:808]/",
  "http://[64:ff9b:1:a9:fe:a9fe:808:808]/",
  "http://[64:ff9b:1:0:a9:fea9:fe08:808]/",
  "http://[2002:a9fe:a9fe::1]/",
  "http://[2002:a9fe:a9fe:1:2:3:4:5]/",
  "http://[2001:0:a9fe:a9fe::]/",
  "http://[2001:0:4136:e378:8000:63bf:5601:5601]/",
  "http://[2001:db8::5efe:169.254.169.254]/",
  "http://[fd00::200:5efe:169.254.169.254]/",
  // Other link-local, provider, multicast and unassigned addresses
  "http://[fe80::1]/",
  "http://[febf:ffff::1]/",
  "http://[fe80::a9fe:a9fe]/",
  "http://[fd00:ec2::254]/",
  "http://[fd00:ec2::23]/",
  "http://[fd20:ce::254]/",
  "http://[fd00:42::42]/",
  "http://100.100.100.200/",
  "http://168.63.129.16/",
  "http://192.0.0.192/",
  "http://[::ffff:100.100.100.200]/",
  "http://0.0.0.0/",
  "http://0/",
  "http://0x0/",
  "http://0.1.2.3/",
  "http://[::]/",
  "http://[::0.0.0.0]/",
  "http://[::ffff:0.0.0.0]/",
  "http://224.0.0.1/",
  "http://239.255.255.250:1900/",
  "http://[ff02::1]/",
  "http://[ff05::2]/",
  "http://240.0.0.1/",
  "http://255.255.255.255/",
  "http://4294967295/",
  "http://192.0.2.1/",
  "http://[2001:db8::1]/",
  "http://[100::1]/",
  // Zones, which no URL can have
  "http://[fe80::1%25eth0]/",
  "http://[fe80::1%eth0]/",
  // Names of metadata services
  "http://metadata.google.internal/computeMetadata/v1/",
  "http://METADATA.GOOGLE.INTERNAL./",
  "http://metadata/",
  "http://metadata.goog/",
  "http://instance-data.ec2.internal/",
  "http://ｍetadata.google.internal/",
  "http://metadata.tencentyun.com/",
  // With a user name or a password
  "http://user@127.0.0.1/",
  "http://user:secret@127.0.0.1/",
  "http://:secret@127.0.0.1/",
  "http://127.0.0.1@169.254.169.254/",
  "http://127.0.0.1:80@169.254.169.254:80/",
  "http://hooks.example%40169.254.169.254/",
  // No host, other schemes, no URL
  "http://",
  "http:///",
  "https://:443/",
  "//127.0.0.1/",
  "ftp://127.0.0.1/",
  "file:///etc/passwd",
  "gopher://127.0.0.1:25/_MAIL",
  "ws://127.0.0.1/",
  "data:text/plain,x",
  "javascript:alert(1)",
  "unix:/var/run/docker.sock",
  "http+unix://%2Fvar%2Frun%2Fdocker.sock/info",
  "http://127.0.0.1:99999/",
  "http://1.2.3.4.5/",
  "http://256.256.256.256/",
  "",
  "169.254.169.254",
];

describe("refused address", () => {
  it(`refused address: the test covers at least 60 forms: ${literals.length}`, () => expect(new Set(literals).size).toBe(literals.length));

  it.each(literals)("refused address: %j", async (url) => {
    const { outbound, answer } = send(url, async (name) => {
      throw new Error(`asked for ${name}`);
    });
    const { kind, error } = (await answer) as { kind: string; error: string };
    expect({ kind, connects: connects.addresses() }).toEqual({ kind: "refused", connects: [] });
    expect(error).not.toContain("secret@");
    expect(await outbound.refusalOf(url)).toBe(error);
  });
});

describe("outbound name", () => {
  it.each([
    ["one address of the link", [imds]],
    ["a good one and one of the link", ["127.0.0.1", imds]],
    ["one of the link and a good one", [imds, "127.0.0.1"]],
    ["a good one and one in other clothes", ["127.0.0.1", "::ffff:169.254.169.254"]],
    ["a good one and a link-local one with a zone", ["127.0.0.1", "fe80::1%eth0"]],
    ["a good one and nobody's", ["127.0.0.1", "0.0.0.0"]],
    ["a good one and NAT64", ["127.0.0.1", "64:ff9b::a9fe:a9fe"]],
    ["a good one and what is no address", ["127.0.0.1", "127.1"]],
    ["many, the last of them bad", [...Array.from({ length: 60 }, (_, n) => `127.0.0.${n + 1}`), "fd00:ec2::254"]],
  ])("at %s is refused, and no address of it is tried", async (_, addresses) => {
    const { answer } = send(`http://Hooks.Example.:${receiver.port}/`, async () => addresses);
    expect(await answer).toEqual({
      kind: "refused",
      error: expect.stringMatching(/^hooks\.example is at .*, a link-local or reserved address$/),
    });
    expect(connects.addresses()).toEqual([]);
  });

  it("outbound name: is refused if its address changes to a refused one after it was saved", async () => {
    const names: NameServer = await startNameServer({ "rebind.test": [["127.0.0.1"], [imds]] });
    const outbound = createOutbound({ allow: [], resolve: names.resolve });
    expect(await outbound.refusalOf(`http://rebind.test:${receiver.port}/`)).toBeUndefined();
    expect(await outbound.post({ url: `http://rebind.test:${receiver.port}/`, headers: {}, body: "", timeoutMs: 5_000 })).toEqual({
      kind: "refused",
      error: "rebind.test is at 169.254.169.254, a link-local or reserved address",
    });
    expect(connects.addresses()).toEqual([]);
    await names.close();
  });

  it("outbound name: is called at the checked address if it changes right after the check", async () => {
    const names = await startNameServer({ "rebind.test": [["127.0.0.1"], [imds]] });
    const { answer } = send(`http://rebind.test:${receiver.port}/`, names.resolve);
    expect(await answer).toMatchObject({ kind: "answered", status: 200 });
    expect(names.asked.get("rebind.test")).toBe(1);
    expect(connects.addresses()).toEqual(["127.0.0.1"]);
    expect(receiver.requests.at(-1)?.headers.host).toBe(`rebind.test:${receiver.port}`);
    await names.close();
  });

  it("outbound name: is resolved for each request, and no connection is reused", async () => {
    const names = await startNameServer({ "rebind.test": [["127.0.0.1"], ["127.0.0.1"], [imds]] });
    const outbound = createOutbound({ allow: [], resolve: names.resolve });
    const before = receiver.connections.total;
    const kinds: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const { kind } = await outbound.post({ url: `http://rebind.test:${receiver.port}/`, headers: {}, body: "", timeoutMs: 5_000 });
      kinds.push(kind);
    }
    expect(kinds).toEqual(["answered", "answered", "refused"]);
    expect(receiver.connections.total - before).toBe(2);
    await names.close();
  });

  it("outbound name: is unreachable without an address, and may be saved", async () => {
    const { outbound, answer } = send("http://hooks.example/services/T0/secret");
    expect(await answer).toEqual({
      kind: "unreachable",
      error: "hooks.example: the name does not exist (ENOTFOUND)",
      ms: expect.any(Number),
    });
    expect(await outbound.refusalOf("http://hooks.example/")).toBeUndefined();
  });
});

describe("outbound redirect", () => {
  it.each([301, 302, 303, 307, 308])("outbound redirect: %i is a response and is not followed", async (status) => {
    const elsewhere = await startReceiver();
    for (const location of [`http://${imds}/`, elsewhere.url]) {
      receiver.answer = { status, headers: { location } };
      expect(await send(receiver.url).answer).toMatchObject({ kind: "answered", status });
    }
    expect(elsewhere.connections.total).toBe(0);
    expect(connects.addresses()).toEqual(["127.0.0.1", "127.0.0.1"]);
    receiver.answer = { status: 200 };
    await elsewhere.close();
  });
});

describe("allowed target", () => {
  it.each([
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "0x7f.1",
    "127.0.0.1.",
    "１２７.0.0.1",
    "[::ffff:127.0.0.1]",
    "[0:0::ffff:7f00:1]",
  ])("allowed target: is reached as %s", async (host) => {
    const before = receiver.requests.length;
    expect(await send(`http://${host}:${receiver.port}/x`, nothing).answer).toMatchObject({ kind: "answered", status: 200 });
    expect(receiver.requests.slice(before)).toHaveLength(1);
    expect(connects.addresses()).toHaveLength(1);
  });

  it.each(["hooks.lan", "HOOKS.lan.", "localhost", "xn--bcher-kva.lan", "bücher.lan", "hooks"])(
    "allowed target: is reached by the name %s",
    async (name) => {
      const asked: string[] = [];
      const { answer } = send(`http://${name}:${receiver.port}/`, async (host) => {
        asked.push(host);
        return ["127.0.0.1"];
      });
      expect(await answer).toMatchObject({ kind: "answered", status: 200 });
      expect(asked).toEqual([name.toLowerCase().replace(/\.$/, "").replace("bücher", "xn--bcher-kva")]);
    },
  );

  it("allowed target: the address that responds is used, of several allowed ones", async () => {
    const { answer } = send(`http://hooks.lan:${receiver.port}/`, async () => ["127.0.0.2", "::1", "127.0.0.1"]);
    expect(await answer).toMatchObject({ kind: "answered", status: 200 });
  });

  it.each([
    "10.0.0.1",
    "172.16.3.4",
    "192.168.1.1",
    "100.64.0.1",
    "127.0.0.1",
    "8.8.8.8",
    "[::1]",
    "[fd12:3456::1]",
    "[64:ff9b:1::c0a8:105]",
    "[64:ff9b:1:c0a8:1:500::]",
    "[2606:4700::1111]",
  ])("allowed target: %s", async (host) => {
    expect(await createOutbound({ allow: [] }).refusalOf(`https://${host}:8443/`)).toBeUndefined();
  });
});
