import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type OperationId, routes } from "../../src/contract/routes/index.ts";

const forPrograms = "for programs, not for a person";
const asPicture = "a picture or video: its address stands in an element of the page";
const inList = "the list on the page has the whole record";

/** The operations that the page does not use, each with the reason. Every other one has its place on the page. */
const unused: Readonly<Partial<Record<OperationId, string>>> = {
  getCameraSnapshot: asPicture,
  getDetectionImage: asPicture,
  getDetectionThumbnail: asPicture,
  getDetectionPreview: asPicture,
  getDetectionVideo: asPicture,
  getDetectionVideoThumbnail: asPicture,
  getSharedPicture: asPicture,
  getSharedThumbnail: asPicture,
  getSharedVideo: asPicture,
  getCameraPull: inList,
  getDetection: inList,
  getAlert: inList,
  getImage: inList,
  getSilence: inList,
  getChannel: inList,
  answerAlert: "the buttons of a notification send it from the service worker",
  getRecipient: inList,
  createDetections: forPrograms,
  updateDetections: forPrograms,
  createEvents: forPrograms,
  receiveAlerts: forPrograms,
  alive: forPrograms,
  apiAlive: forPrograms,
  getMetrics: forPrograms,
  getReady: forPrograms,
  getMonitoringTargets: forPrograms,
  getOpenapi: "the reference at /docs reads it",
  getWebsocketHealth: "the telemetry on the page says the same",
  explainAlert: "the page of the event explains all of its alerts",
  testRule: "the form of a rule tries drafts and stored rules by other operations",
  deleteDetections: "the page deletes whole events; single detections are deleted in the terminal",
  searchDetections: "the search of the page finds the events of the detections",
  getDetectionEnrichment: "the event on the page has them with its detections",
  listDetectionLabels: "the page offers the classes of the contract",
};

const web = join(import.meta.dirname, "../../web");
const used = new Set(
  readdirSync(web, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .flatMap((name) => [...readFileSync(join(web, name), "utf8").matchAll(/Routes\.(\w+)/g)].map(([, operation = ""]) => operation)),
);

describe("operations of the page", () => {
  it("web page: every operation of the API is on the page, or a reason says why not", () => {
    const missing = Object.keys(routes).filter((operation) => !used.has(operation) && !Object.hasOwn(unused, operation));
    expect(missing).toEqual([]);
  });

  it("web page: no operation that the page uses is listed as unused", () => {
    expect(Object.keys(unused).filter((operation) => used.has(operation))).toEqual([]);
  });
});
