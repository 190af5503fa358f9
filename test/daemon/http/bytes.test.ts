import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { notFound } from "../../../src/contract/problem.ts";
import { route } from "../../../src/contract/route.ts";
import { type Served, sendRaw, serve } from "./support.ts";

const jpeg = { mediaTypes: ["image/jpeg", "image/png"] };
const routes = {
  picture: route("/pictures/{name}", {
    method: "get",
    summary: "A file",
    tag: "pictures",
    params: z.object({ name: z.string() }),
    reply: jpeg,
  }),
  text: route("/text", { method: "get", summary: "A buffer", tag: "pictures", reply: { mediaTypes: ["text/plain"] } }),
};

/** The first bytes of a JPEG. */
const jpegHead = Buffer.from([0xff, 0xd8, 0xff, 0xe0]);
const picture = Buffer.concat([jpegHead, randomBytes(299_996)]);
let folder: string;
let served: Served;
beforeAll(async () => {
  // A dot folder, like the default data folder, and a name that needs escaping.
  folder = join(await mkdtemp(join(tmpdir(), "homesec-bytes-")), ".dot", "100% ü");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "a.jpg"), picture);
  await writeFile(join(folder, "empty.jpg"), "");
  await mkdir(join(folder, "folder.jpg"));
  await symlink("/etc/hostname", join(folder, "link.jpg"));
  execFileSync("mkfifo", [join(folder, "pipe.jpg")]);
  served = await serve(routes, {
    picture: async ({ params }: { params: { name: string } }) => {
      if (params.name === "unknown") throw notFound("picture", params.name);
      return { mediaType: "image/jpeg", content: { file: join(folder, params.name) } };
    },
    text: async () => ({ mediaType: "text/plain; version=0.0.4; charset=utf-8", content: { buffer: Buffer.from("up 1\n") } }),
  });
});
afterAll(async () => {
  await served.close();
  await rm(join(folder, "..", ".."), { recursive: true });
});

const get = (path: string, init?: RequestInit) => fetch(`${served.url}${path}`, init);

describe("files", () => {
  it("files: arrive unchanged, with type, length and validators", async () => {
    const response = await get("/pictures/a.jpg");
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(picture)).toBe(true);
    expect(response.headers.get("content-type")).toBe("image/jpeg");
    expect(response.headers.get("content-length")).toBe("300000");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    // A page of another site cannot tell by an `<img>` that there is a new picture.
    expect(response.headers.get("cross-origin-resource-policy")).toBe("same-site");
    expect((await get("/text")).headers.get("cross-origin-resource-policy")).toBe("same-site");
    expect(response.headers.get("etag")).toMatch(/^"[\w-]+"$/);
    expect(Date.parse(response.headers.get("last-modified") ?? "")).not.toBeNaN();
    expect((await get("/pictures/empty.jpg")).headers.get("content-length")).toBe("0");
  });

  it("files: are not sent again to a client that already has them", async () => {
    const { headers } = await get("/pictures/a.jpg");
    const tag = headers.get("etag") ?? "";
    for (const tags of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
      const response = await get("/pictures/a.jpg", { headers: { "If-None-Match": tags } });
      expect(response.status).toBe(304);
      expect(await response.text()).toBe("");
    }
    expect((await get("/pictures/a.jpg", { headers: { "If-Modified-Since": headers.get("last-modified") ?? "" } })).status).toBe(304);
    const changed = { "If-None-Match": '"x"', "If-Modified-Since": headers.get("last-modified") ?? "" };
    expect((await get("/pictures/a.jpg", { headers: changed })).status).toBe(200);
    expect((await get("/pictures/a.jpg", { headers: { "If-Modified-Since": "Thu, 01 Jan 1970 00:00:00 GMT" } })).status).toBe(200);
    expect((await get("/pictures/a.jpg", { headers: { "If-Modified-Since": "noon" } })).status).toBe(200);
  });

  it("files: are not sent in answers to HEAD", async () => {
    const response = await get("/pictures/a.jpg", { method: "HEAD" });
    expect(response.headers.get("content-length")).toBe("300000");
    expect((await response.arrayBuffer()).byteLength).toBe(0);
  });

  it("files: may come from memory", async () => {
    const response = await get("/text");
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(await response.text()).toBe("up 1\n");
    expect((await get("/text", { headers: { "If-None-Match": response.headers.get("etag") ?? "" } })).status).toBe(304);
  });

  it.each(["gone.jpg", "folder.jpg", "pipe.jpg", "link.jpg", "unknown", `${"x".repeat(300)}.jpg`])(
    "files: %s has no regular file and gets 404 as JSON",
    async (name) => {
      const response = await get(`/pictures/${name}`);
      expect(response.status).toBe(404);
      expect(response.headers.get("content-type")).toContain("application/json");
      expect(response.headers.get("etag")).toBeNull();
    },
  );

  it("files: one that shrinks while it is sent ends the connection, so that no client waits for the rest", async () => {
    const file = join(folder, "shrinks.jpg");
    await writeFile(file, Buffer.concat([jpegHead, Buffer.alloc(32 * 1024 * 1024)]));
    const response = await get("/pictures/shrinks.jpg");
    await truncate(file, 1024 * 1024);
    const begun = performance.now();
    await expect(response.arrayBuffer()).rejects.toThrow("terminated");
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it("files: are sent with the type of their content, whatever their row says", async () => {
    await writeFile(join(folder, "really.png"), Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), randomBytes(100)]));
    expect((await get("/pictures/really.png")).headers.get("content-type")).toBe("image/png");
  });

  it.each([
    ["a page", "<!doctype html><script>alert(1)</script>"],
    ["a drawing with a script", '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'],
    ["a text", "root:x:0:0:root:/root:/bin/bash\n"],
    ["a picture of another kind", "GIF89a..............................."],
  ])("files: %s in the place of a picture is 404", async (_what, content) => {
    await writeFile(join(folder, "other.jpg"), content);
    const response = await get("/pictures/other.jpg");
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(await response.text()).not.toContain("script");
  });

  it("files: a client may disconnect halfway", async () => {
    for (let i = 0; i < 20; i += 1) await sendRaw(served.port, "GET /pictures/a.jpg HTTP/1.1\r\nHost: localhost\r\n\r\n", 1);
    expect((await get("/pictures/a.jpg")).status).toBe(200);
    expect(served.log.lines.filter(({ level }) => level !== "debug")).toEqual([]);
  });
});
