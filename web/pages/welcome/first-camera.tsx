import { pipelineRoutes } from "../../../src/contract/routes/system-pipeline.ts";
import { useReply } from "../../api/use-reply.ts";
import type { CameraRecord } from "../../parts/camera-tile.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { CameraForm } from "../cameras/add.tsx";

/** Adds a camera by its name, or says in which folder homesec finds new ones. */
export function FirstCamera({ cameras }: { readonly cameras: readonly CameraRecord[] }) {
  const { welcome } = useAdminTexts();
  const { data } = useReply(pipelineRoutes.getPipeline, {});
  return (
    <>
      {cameras.length > 0 && <p className="mb-3">{welcome.cameras(cameras.map(({ name }) => name).join(", "))}</p>}
      <CameraForm key={cameras.length} onAdded={() => {}} />
      {data && (
        <p className="mt-4 border-t border-line pt-3 text-sm text-soft">
          {welcome.found} <code className="font-mono break-all">{data.file_watcher.camera_root}</code>
        </p>
      )}
    </>
  );
}
