import { mkdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../../../daemon/http/app.ts";
import { type Listening, listen } from "../../../daemon/http/listen.ts";
import { operations } from "../../../src/all-operations.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { hasFfmpeg } from "../../../src/monitoring/images/video.ts";
import { makeVideo } from "../../monitoring/images/make-video.ts";
import { chromiumInstalled, launchBrowser, visit } from "../../support/browser.ts";
import { type Desk, openDesk } from "../../support/operations.ts";

const ffmpeg = await hasFfmpeg();
if (!ffmpeg) process.stderr.write("ffmpeg is not installed, so the test that plays a video is skipped\n");

describe.skipIf(!chromiumInstalled)("in a real browser (needs chromium)", () => {
  let desk: Desk;
  let served: Listening;
  let browser: Browser;
  beforeAll(async () => {
    desk = await openDesk();
    served = await listen({
      app: createApp({ operations, context: desk.context, log: silentLog, allowedHosts: [] }),
      host: "127.0.0.1",
      port: 0,
    });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
    await desk?.close();
  });

  it.skipIf(!ffmpeg)("browser: a <video> plays and seeks to parts that are not loaded yet", async () => {
    const folder = join(desk.cameraRoot, "yard");
    await mkdir(folder);
    // Noise compresses badly. A few megabytes make sure that a seek needs data that is not loaded yet.
    const path = await makeVideo(folder, "mp4", 120, ["-vf", "noise=alls=100:allf=t", "-qp", "5", "-g", "10"]);
    const [row] = await desk.db.query(async (sql) => {
      await sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'yard', ${folder})`;
      return await sql<[{ id: number }]>`
        insert into detections (camera_id, file_path, file_type, video_offset_seconds, detected_at, object_type, confidence)
        values ('yard', ${path}, 'video/mp4', 0, now(), 'person', 0.9)
        returning detection_id as id
      `;
    });
    // Like a dashboard: a page of another origin, which CORS_ORIGINS names.
    let url = "";
    const dashboard = createServer((_request, response) => {
      response.setHeader("content-type", "text/html").end(`<!doctype html><video muted preload="metadata" src="${url}"></video>`);
    });
    await new Promise<void>((resolve) => dashboard.listen(0, "127.0.0.1", resolve));
    const corsOrigins = [`http://127.0.0.1:${(dashboard.address() as AddressInfo).port}`];
    const app = createApp({ operations, context: desk.context, log: silentLog, allowedHosts: [], corsOrigins });
    const open = await listen({ app, host: "127.0.0.1", port: 0 });
    url = `http://127.0.0.1:${open.port}/api/detections/${row.id}/video`;
    try {
      const { page, complaints } = await visit(browser, `http://127.0.0.1:${(dashboard.address() as AddressInfo).port}`);
      const asked: Request[] = [];
      page.on("request", (request) => request.url() === url && asked.push(request));
      await page.goto("/");
      const video = `const video = document.querySelector("video");
        const happened = (name) => new Promise((resolve, reject) => {
          video.addEventListener(name, resolve, { once: true });
          video.addEventListener("error", () => reject(new Error("the video failed: " + video.error?.message)), { once: true });
        });`;
      const known = await page.evaluate<{ duration: number; width: number }>(`(async () => {
        ${video}
        if (video.readyState < 1) await happened("loadedmetadata");
        return { duration: video.duration, width: video.videoWidth };
      })()`);
      expect(known).toEqual({ duration: 120, width: 160 });

      const played = await page.evaluate<number>(`(async () => {
        ${video}
        await video.play();
        while (video.currentTime < 0.5) await happened("timeupdate");
        video.pause();
        return video.currentTime;
      })()`);
      expect(played).toBeGreaterThanOrEqual(0.5);
      expect(played).toBeLessThan(60);

      const sought = await page.evaluate<{ time: number; ready: number }>(`(async () => {
        ${video}
        const seeked = happened("seeked");
        video.currentTime = 90;
        await seeked;
        return { time: video.currentTime, ready: video.readyState };
      })()`);
      expect(sought.time).toBe(90);
      expect(sought.ready).toBeGreaterThanOrEqual(2);

      // The browser keeps reading, so its last request may still be open.
      const statuses = asked.flatMap((request) => request.existingResponse()?.status() ?? []);
      expect(statuses.length).toBeGreaterThan(1);
      expect(statuses).toEqual(statuses.map(() => 206));
      const starts = asked.map((request) => Number(/^bytes=(\d+)-/.exec(request.headers()["range"] ?? "")?.[1]));
      expect(Math.max(...starts)).toBeGreaterThan(1_000_000);
      expect(complaints.filter((text) => !text.includes("favicon"))).toEqual([]);
    } finally {
      await new Promise((resolve) => {
        dashboard.close(resolve);
        dashboard.closeAllConnections();
      });
      await open.close();
    }
  });
});
