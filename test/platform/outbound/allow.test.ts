import { expect, it } from "vitest";
import { parseConfig } from "../../../src/platform/config/parse.ts";
import { createOutbound } from "../../../src/platform/outbound/outbound.ts";

const asSet = (OUTBOUND_ALLOW: string) =>
  parseConfig({ env: { OUTBOUND_ALLOW }, isRoot: false, home: "/home/ada", cwd: "/srv" }).config.outboundAllow;

const at: Readonly<Record<string, readonly string[]>> = {
  "nas.lan": ["192.168.1.5"],
  "two.lan": ["192.168.1.5", "10.0.0.9"],
  "gone.lan": [],
  "evil.lan": ["169.254.169.254"],
};
const allowed = async (allow: string, host: string): Promise<boolean> => {
  const outbound = createOutbound({ allow: asSet(allow), resolve: async (name) => at[name] ?? ["8.8.8.8"] });
  return (await outbound.refusalOf(`https://${host}/`)) === undefined;
};

it.each([
  ["", "anything.example", true],
  ["hooks.example.org", "hooks.example.org", true],
  ["Hooks.Example.org.", "hooks.EXAMPLE.org.", true],
  ["hooks.example.org", "evil.org", false],
  ["hooks.example.org", "x.hooks.example.org", false],
  ["hooks.example.org", "hooks.example.org.evil.org", false],
  ["*.example.org", "hooks.example.org", true],
  ["*.example.org", "a.b.example.org", true],
  ["*.example.org", "example.org", false],
  ["*.example.org", "notexample.org", false],
  ["*.example.org", ".example.org", false],
  ["192.168.1.5", "192.168.1.5", true],
  ["192.168.1.5", "192.168.1.6", false],
  ["192.168.1.5", "[::ffff:192.168.1.5]", true],
  ["10.0.0.1, [fd00::5]", "[fd00:0::5]", true],
  ["192.168.0.0/16", "192.168.1.6", true],
  ["192.168.0.0/16", "0xC0A80106", true],
  ["192.168.0.0/16", "10.0.0.1", false],
  ["192.168.0.0/16", "nas.lan", true],
  ["192.168.0.0/16", "two.lan", false],
  ["192.168.0.0/16, 10.0.0.0/8", "two.lan", true],
  ["192.168.0.0/16", "gone.lan", true],
  ["nas.lan", "gone.lan", false],
  ["fd00::/8", "[fd12::1]", true],
  ["fd00::/8", "192.168.1.1", false],
  ["0.0.0.0/0", "[fd12::1]", false],
  ["0.0.0.0/0, ::/0", "[fd12::1]", true],
  ['["nas.lan", "10.0.0.0/8"]', "nas.lan", true],
  // The list only restricts
  ["169.254.169.254", "169.254.169.254", false],
  ["0.0.0.0/0, ::/0", "169.254.169.254", false],
  ["evil.lan", "evil.lan", false],
  ["metadata.google.internal", "metadata.google.internal", false],
])("OUTBOUND_ALLOW=%j and %s: %s", async (allow, host, expected) => {
  expect(await allowed(allow, host)).toBe(expected);
});

it("OUTBOUND_ALLOW: the refusal says how to allow the target", async () => {
  const outbound = createOutbound({ allow: asSet("10.0.0.0/8"), resolve: async () => ["10.0.0.1", "192.168.1.5"] });
  expect(await outbound.refusalOf("https://two.lan/")).toBe(
    "two.lan (10.0.0.1, 192.168.1.5) is not in OUTBOUND_ALLOW; add it there and restart homesec",
  );
  expect(await outbound.post({ url: "https://two.lan/", headers: {}, body: "", timeoutMs: 1_000 })).toMatchObject({ kind: "refused" });
});
