import { silenceRoutes } from "../../src/contract/routes/silences.ts";
import { useAction } from "../api/use-reply.ts";
import { useCameraNames } from "../parts/names.tsx";
import { useToast } from "../parts/toast.tsx";
import { useTexts } from "../texts/texts.tsx";

/** Returns a function that mutes the alerts of a camera for an hour, and says so with a way to undo it. */
export function useSilence(): (cameraId: string) => Promise<void> {
  const texts = useTexts();
  const toast = useToast();
  const nameOf = useCameraNames();
  const create = useAction(silenceRoutes.createSilence, [silenceRoutes.listSilences]);
  const end = useAction(silenceRoutes.endSilence, [silenceRoutes.listSilences]);
  return async (cameraId) => {
    try {
      const silence = await create.run({ body: { camera_id: cameraId, duration_seconds: 3600, reason: texts.silences.add } });
      toast(texts.silenced(nameOf(cameraId)), () => void end.run({ params: { id: silence.id } }));
    } catch (error) {
      toast(texts.fault(error));
    }
  };
}
