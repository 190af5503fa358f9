import { describe, expect, it } from "vitest";
import { isRefusedAddress, refusalOf } from "../../../src/platform/outbound/address.ts";

const at =
  (...addresses: string[]) =>
  async () =>
    addresses;

describe("address check", () => {
  it.each([
    "169.254.169.254",
    "169.254.0.1",
    "0.0.0.0",
    "0.1.2.3",
    "224.0.0.1",
    "255.255.255.255",
    "100.100.100.200",
    "::",
    "fe80::1",
    "[fe80::1]",
    "fe80::1%eth0",
    "febf::1",
    "ff02::1",
    "fd00:ec2::254",
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "0:0:0:0:0:ffff:a9fe:a9fe",
    "::169.254.169.254",
    "64:ff9b::169.254.169.254",
    "2002:a9fe:a9fe::1",
  ])("address check: %s is refused", (address) => {
    expect(isRefusedAddress(address)).toBe(true);
  });

  it.each([
    "127.0.0.1",
    "10.0.0.1",
    "192.168.1.20",
    "172.16.0.1",
    "100.100.100.201",
    "8.8.8.8",
    "169.253.0.1",
    "::1",
    "fd12:3456::1",
    "fec0::1",
    "2606:4700::1111",
    "198.18.0.7",
    "100.64.0.1",
    "::ffff:192.168.1.20",
    "64:ff9b::8.8.8.8",
    "2002:a00:1::1",
  ])("address check: %s is allowed", (address) => {
    expect(isRefusedAddress(address)).toBe(false);
  });
});

describe("URL check", () => {
  it.each([
    "http://169.254.169.254",
    "http://169.254.169.254./latest",
    "http://0xA9FEA9FE/",
    "http://2852039166/",
    "http://0251.0376.0251.0376/",
    "http://[::ffff:169.254.169.254]:8080",
    "http://metadata.google.internal",
    "http://METADATA.google.internal.:80/",
  ])("URL check: %s is refused without a lookup", async (url) => {
    expect(await refusalOf(url, () => Promise.reject(new Error("asked")))).toBeDefined();
  });

  it("URL check: considers every address of the name", async () => {
    expect(await refusalOf("http://vision.lan", at("192.168.1.5"))).toBeUndefined();
    expect(await refusalOf("http://vision.lan", at("192.168.1.5", "fe80::1"))).toBe(
      "vision.lan is at fe80::1, a link-local or reserved address",
    );
  });

  it("URL check: accepts a machine that does not exist yet", async () => {
    expect(await refusalOf("http://vision.lan", () => Promise.reject(new Error("ENOTFOUND")))).toBeUndefined();
  });
});
