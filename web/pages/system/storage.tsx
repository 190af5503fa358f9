import { storageRoutes } from "../../../src/contract/routes/system-storage.ts";
import { For } from "../../api/use-may.tsx";
import { useReply } from "../../api/use-reply.ts";
import { Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { useFormat } from "../../texts/format.tsx";
import { Cleanup } from "./cleanup.tsx";
import { DeletedEvents } from "./deleted-events.tsx";
import { Row, Rows, SystemFrame } from "./frame.tsx";
import { Gpu } from "./gpu.tsx";

/** The used space, what a cleanup would free, and the graphics card. */
export default function StoragePage() {
  return (
    <SystemFrame>
      <Space />
      <For who="owner">
        <Cleanup />
        <DeletedEvents />
      </For>
      <Gpu />
    </SystemFrame>
  );
}

function Space() {
  const { system } = useAdminTexts();
  const format = useFormat();
  const storage = useReply(storageRoutes.getStorage, {}, { everyMs: 60_000 });
  const files = ({ file_count, size_bytes }: { file_count: number; size_bytes: number }): string =>
    `${format.number(file_count)} · ${format.bytes(size_bytes)}`;
  return (
    <Section title={system.space}>
      <Loaded reply={storage} waiting={<div className="h-72" />}>
        {(data) => (
          <>
            <p>
              {system.disk(format.bytes(data.disk_used_bytes), format.bytes(data.disk_total_bytes), format.bytes(data.disk_free_bytes))}
            </p>
            <progress
              className="my-2 h-2 w-full appearance-none overflow-hidden rounded bg-raised [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-raised [&::-webkit-progress-value]:bg-accent"
              value={data.disk_usage_percent}
              max={100}
              aria-label={system.space}
            />
            <Rows>
              <Row name={system.pictures}>{files(data.images)}</Row>
              <Row name={system.thumbnails}>{files(data.thumbnails)}</Row>
              <Row name={system.database}>{format.bytes(data.database_bytes)}</Row>
              <Row name={system.events}>{format.number(data.events_count)}</Row>
              <Row name={system.detections}>{format.number(data.detections_count)}</Row>
              <Row name={system.logs}>{format.number(data.logs_count)}</Row>
            </Rows>
          </>
        )}
      </Loaded>
    </Section>
  );
}
