import { describe, expect, it } from "vitest";
import { filledAddress, parsePullAddress, substreamOf } from "../../../src/monitoring/pulls/address.ts";

describe("pull addresses", () => {
  it.each([
    ["http://a:b%40c@cam.lan:81/snap.jpg?x=1#top", "http://cam.lan:81/snap.jpg?x=1", "a", "b@c"],
    ["rtsp://admin:pw@192.168.1.64/Streaming/Channels/102", "rtsp://192.168.1.64/Streaming/Channels/102", "admin", "pw"],
    ["http://cam.lan/cgi?usr=a&pwd=p%26q&ch=1", "http://cam.lan/cgi?usr=a&pwd={password}&ch=1", undefined, "p&q"],
    ["http://cam.lan/cgi?pwd={password}", "http://cam.lan/cgi?pwd={password}", undefined, undefined],
    ["http://a%zz:b@[::1]/", "http://[::1]/", "a%zz", "b"],
  ])("pull address: %s is stored without its secrets", (given, url, user, password) => {
    expect(parsePullAddress(given)).toEqual({ url, user, password });
  });

  it.each([
    ["snap.jpg", "it is not an address"],
    ["file:///etc/passwd", "homesec does not pull from file://"],
    ["concat:a|b", "homesec does not pull from concat://"],
    ["http://169.254.169.254/", "link-local"],
    ["http://metadata.google.internal/", "metadata service"],
    ["rtsp://[fe80::1]/", "link-local"],
    ["rtsp:///live", "it names no host"],
    ["http://cam/a b", "spaces"],
    ["rtsp://cam/\nfile 'pipe:0'", "control characters"],
  ])("pull address: %s is refused with a reason", (given, reason) => {
    expect(parsePullAddress(given)).toContain(reason);
  });

  it("pull address: the password is put in its place, encoded", () => {
    expect(filledAddress("http://cam/?pwd={password}", { password: "a&b" })).toBe("http://cam/?pwd=a%26b");
  });

  it("pull address: the small stream of a large one is known for common makes", () => {
    const small = [
      "rtsp://h/Streaming/Channels/101",
      "rtsp://h/cam/realmonitor?channel=1&subtype=0",
      "rtsp://h/Preview_01_main",
      "rtsp://h/stream1",
    ];
    expect(small.map(substreamOf)).toEqual([
      ...["rtsp://h/Streaming/Channels/102", "rtsp://h/cam/realmonitor?channel=1&subtype=1", "rtsp://h/Preview_01_sub", "rtsp://h/stream2"],
    ]);
    expect(["rtsp://h/Streaming/Channels/102", "rtsp://h/live", "http://h/stream1"].map(substreamOf)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
