import { Link } from "wouter";
import { pipelineRoutes } from "../../../src/contract/routes/system-pipeline.ts";
import { useReply } from "../../api/use-reply.ts";
import { type CameraRecord, snapshotOf } from "../../parts/camera-tile.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Thumbnail } from "../../parts/thumbnail.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { DaemonText } from "../../texts/daemon-text.tsx";
import { Connect } from "../cameras/connect.tsx";

interface FirstPictureProps {
  readonly cameras: readonly CameraRecord[];
  /** A camera that has sent a picture. */
  readonly seen: CameraRecord | undefined;
}

/** Says where the pictures of the newest camera belong, shows the first one, and what is wrong with files that homesec does not read. */
export function FirstPicture({ cameras, seen }: FirstPictureProps) {
  const { welcome } = useAdminTexts();
  const { data } = useReply(pipelineRoutes.getPipeline, {}, seen ? {} : { everyMs: 6_000 });
  if (seen) {
    return (
      <>
        <Link href={`/cameras/${encodeURIComponent(seen.camera_id)}`} className="block max-w-sm">
          <Thumbnail of={seen} src={snapshotOf(seen, 1280)} alt={seen.name} />
        </Link>
        <p className="mt-2 text-sm text-soft">{welcome.arrived(seen.name)}</p>
      </>
    );
  }
  const camera = cameras.toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime())[0];
  if (!camera) return <p className="text-soft">{welcome.cameraFirst}</p>;
  const faults = [...(data?.file_watcher.stuck ?? []), ...(data?.file_watcher.passed_over ?? [])];
  return (
    <>
      <Connect cameraId={camera.camera_id} />
      <p className="mt-4 border-t border-line pt-3">{welcome.saveInto(camera.name)}</p>
      <CopyText label={welcome.folder} text={camera.folder_path} />
      <ul className="list-disc pl-5 text-sm">
        {welcome.ways.map((way) => (
          <li key={way}>{way}</li>
        ))}
      </ul>
      <p className="mt-3 text-sm">{welcome.orCopy}</p>
      <CopyText label={welcome.command} text={`cp picture.jpg ${quoted(`${camera.folder_path}/`)}`} />
      <p role="status" className="text-sm text-soft">
        {welcome.waiting}
      </p>
      {faults.map(({ path, reason }) => (
        <p key={path} className="mt-2 text-sm break-words text-high">
          {path}: <DaemonText>{reason}</DaemonText>
        </p>
      ))}
    </>
  );
}

/** A path as a shell reads it. */
function quoted(path: string): string {
  return /^[\w/.-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
