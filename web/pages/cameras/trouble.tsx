import { Link } from "wouter";
import { cameraRoutes } from "../../../src/contract/routes/cameras.ts";
import { useAction, useReply } from "../../api/use-reply.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { Button } from "../../parts/button.tsx";
import { Section } from "../../parts/page.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { DaemonText } from "../../texts/daemon-text.tsx";
import { Ago } from "../../texts/format.tsx";

/** Cameras whose folder cannot be read, each with the reason and the fix; nothing if all can. */
export function BrokenFolders() {
  const { cameras } = useAdminTexts();
  const { data } = useReply(cameraRoutes.validateCameraPaths, {}, { everyMs: 30_000 });
  if (!data || data.invalid_count === 0) return null;
  return (
    <Section title={cameras.brokenFolders}>
      <ul className="grid gap-2">
        {data.invalid_cameras.map(({ camera_id, name, folder_path, issues }) => (
          <li key={camera_id} className="rounded-xl border border-high bg-card p-3">
            <Link href={`/cameras/${encodeURIComponent(camera_id)}`} className="font-medium underline-offset-4 hover:underline">
              {name}
            </Link>
            <p className="font-mono text-sm break-all">{folder_path}</p>
            {issues.map((issue) => (
              <p key={issue} className="text-sm break-words">
                <DaemonText>{issue}</DaemonText>
              </p>
            ))}
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Deleted cameras, which can be restored; nothing without one. */
export function DeletedCameras() {
  const { cameras } = useAdminTexts();
  const attempt = useAttempt();
  const { data } = useReply(cameraRoutes.listDeletedCameras, { query: { limit: 1000 } });
  const restore = useAction(cameraRoutes.restoreCamera, [
    cameraRoutes.listCameras,
    cameraRoutes.listDeletedCameras,
    cameraRoutes.getCamera,
  ]);
  if (!data || data.items.length === 0) return null;
  return (
    <Section title={cameras.deleted}>
      <ul className="rounded-xl border border-line bg-card px-4">
        {data.items.map(({ camera_id, name, deleted_at }) => (
          <li key={camera_id} className="flex flex-wrap items-center justify-between gap-2 border-b border-line py-2 last:border-0">
            <span>
              {name}
              {deleted_at && (
                <span className="text-sm text-soft">
                  {" · "}
                  <Ago time={deleted_at} />
                </span>
              )}
            </span>
            <Button
              isBusy={restore.isRunning}
              aria-label={`${cameras.restore}: ${name}`}
              onClick={() => void attempt(restore.run({ params: { camera_id } }), cameras.restored(name))}
            >
              {cameras.restore}
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
