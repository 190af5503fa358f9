import { randomUUID } from "node:crypto";
import { z } from "zod";
import { localTimeZone } from "../../base/clock/time-zone.ts";
import { notFound, Problem } from "../../contract/problem.ts";
import type { ReplyOf } from "../../contract/routes/index.ts";
import { type shareRoutes, usualShareSeconds } from "../../contract/routes/shares.ts";
import { uuidOf } from "../../contract/values.ts";
import { readPage, timeKey } from "../../platform/database/keyset.ts";
import { generateKey, hashOf } from "../../platform/keys/keyring.ts";
import { configuredName } from "../../platform/keys/named-keys.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { rootsOf } from "../cameras/roots.ts";
import type { Detection } from "../detections/detection.ts";
import { storedThumbnail } from "../detections/operations.ts";
import { videoOf } from "../detections/picture.ts";
import { findWithDetections } from "../events/event-detections-repository.ts";
import { cameraNames } from "../events/search-repository.ts";
import { countShares, countView, endShare, findShare, insertShare, listShares } from "./shares-repository.ts";
import { barePicture, findShown, findShownSource, picturesOf, withoutPlace } from "./shown.ts";

/** The use cases of shares. */
export const shareOperations: Pick<Operations, keyof typeof shareRoutes> = {
  createShare: async ({ params, body }, { db, clock, config, caller }) => {
    if (!config.webEnabled) {
      throw new Problem("conflict", "The web page, which shows shared events, is off; set WEB_ENABLED=true and restart");
    }
    const token = generateKey();
    const now = clock.now();
    const share = await db.transaction(async (sql) => {
      const { id: eventId } = await findWithDetections(sql, params.event_id);
      const expiresAt = new Date(now.getTime() + (body.expires_in_seconds ?? usualShareSeconds) * 1_000);
      // The keys of API_KEYS have no names.
      const createdBy = caller?.access === undefined || caller.access.name === configuredName ? null : caller.access.name;
      return await insertShare(sql, { id: randomUUID(), eventId, hash: hashOf(token), createdBy, expiresAt }, now);
    });
    const path = `/shared/${token}`;
    const base = config.publicUrl ?? caller?.origin;
    return { ...share, token, path, url: base === undefined ? null : `${base}${path}` };
  },

  listShares: async ({ query }, { db, clock }) => {
    const { status, event_id } = query;
    const now = clock.now();
    return await readPage(db, query, {
      name: "shares",
      key: timeKey(z.uuid()),
      rows: (sql, slice) => listShares(sql, { status, event_id, ...slice }, now),
      count: (sql) => countShares(sql, { status, event_id }, now),
    });
  },

  revokeShare: async ({ params }, { db, clock }) => {
    const id = uuidOf(params.id);
    if (id === undefined) throw notFound("Share", params.id);
    await db.transaction(async (sql) => {
      const now = clock.now();
      if (await endShare(sql, id, now)) return;
      if (await findShare(sql, id, now)) throw new Problem("conflict", `Share ${id} has already ended`);
      throw notFound("Share", params.id);
    });
    return undefined;
  },

  getShared: async ({ params: { token } }, context) => {
    const { share, event } = await findShown(context, token);
    const names = await context.db.query(async (sql) => {
      await countView(sql, share.id, context.clock.now());
      return await cameraNames(sql, [event.camera_id]);
    });
    const { kind, started_at, ended_at, risk_score, risk_level, analysis_status, summary, object_types } = event;
    return {
      ...{ kind, started_at, ended_at, risk_score, risk_level, analysis_status, summary, object_types },
      camera: names.get(event.camera_id) ?? "",
      pictures: picturesOf(event.detections).map((detections, at) => shownPicture(token, at + 1, detections)),
      time_zone: localTimeZone(),
      expires_at: share.expires_at,
    };
  },

  getSharedPicture: async ({ params: { token, number } }, context) => {
    const source = await findShownSource(context, token, number);
    return await withoutPlace(() => barePicture(source, context));
  },

  getSharedThumbnail: async ({ params: { token, number } }, context) => {
    const source = await findShownSource(context, token, number);
    return await withoutPlace(() => storedThumbnail(context, source));
  },

  getSharedVideo: async ({ params: { token, number } }, context) => {
    const source = await findShownSource(context, token, number);
    return await withoutPlace(() => videoOf(source, rootsOf(context.config)));
  },
};

type ShownPicture = ReplyOf<"getShared">["pictures"][number];

function shownPicture(token: string, number: number, detections: readonly [Detection, ...Detection[]]): ShownPicture {
  const path = `/api/shared/${encodeURIComponent(token)}/pictures/${number}`;
  const [first] = detections;
  return {
    taken_at: first.detected_at,
    image_url: path,
    thumbnail_url: `${path}/thumbnail`,
    video_url: first.file_type?.startsWith("video/") ? `${path}/video` : null,
    objects: detections.map(({ object_type, confidence, bbox_x, bbox_y, bbox_width, bbox_height }) => ({
      ...{ object_type, confidence, bbox_x, bbox_y, bbox_width, bbox_height },
    })),
  };
}
