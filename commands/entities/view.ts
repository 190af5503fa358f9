import { pluralize } from "../../src/base/text/format.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { ago, exactly } from "../output/terminal-format.ts";
import { fieldsOf, type View } from "../output/view.ts";

type EntityDetails = ReplyOf<"getEntity">;
type Entity = ReplyOf<"listEntities">["items"][number];

export const entityView: View<Entity> = {
  plural: "entities",
  fields: fieldsOf("listEntities", "items"),
  id: (entity) => entity.id,
  columns: [
    { title: "ENTITY", keep: true, isId: true, cell: (entity) => ({ text: entity.id }) },
    { title: "OBJECT", keep: true, cell: (entity) => ({ text: entity.object_type }) },
    { title: "LAST SEEN", keep: true, cell: (entity, terminal) => ({ text: ago(terminal, entity.last_seen_at) }) },
    { title: "FIRST SEEN", cell: (entity, terminal) => ({ text: ago(terminal, entity.first_seen_at) }) },
    { title: "SEEN", align: "right", cell: (entity) => ({ text: String(entity.detection_count) }) },
    { title: "CAMERAS", cell: (entity) => ({ text: entity.camera_ids.join(", ") }) },
  ],
  details: (entity, terminal) => [
    ["entity", { text: entity.id, paint: "bold" }],
    ["object", { text: entity.object_type }],
    ["first seen", { text: exactly(terminal, entity.first_seen_at) }],
    ["last seen", { text: exactly(terminal, entity.last_seen_at) }],
    ["detections", { text: String(entity.detection_count) }],
    ["seen best on", { text: entity.representative_detection_id === null ? "deleted" : `detection ${entity.representative_detection_id}` }],
  ],
};

export const entityDetailsView: View<EntityDetails> = {
  ...entityView,
  fields: fieldsOf("getEntity"),
  details: (entity, terminal) => [
    ...entityView.details(entity, terminal),
    ...entity.cameras.map(
      ({ camera_id, detection_count, last_seen_at }) =>
        [camera_id, { text: `${pluralize(detection_count, "time")}, last ${exactly(terminal, last_seen_at)}` }] as const,
    ),
    ["newest", { text: entity.detections.map(({ id }) => String(id)).join(", ") }],
  ],
};
