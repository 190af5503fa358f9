import { EyeOff } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { For } from "../../api/use-may.tsx";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import type { Picture } from "./pictures.ts";

const Spot = lazy(() => import("./ignore-spot.tsx"));

/** Opens the dialog that ignores the place of something in the picture. */
export function IgnoreButton({ picture }: { readonly picture: Picture | undefined }) {
  const { ignore } = useMoreTexts();
  const [isOpen, setOpen] = useState(false);
  if (!picture) return null;
  return (
    <For who="owner">
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <EyeOff aria-hidden size={16} /> {ignore.button}
      </Button>
      <Dialog title={ignore.title} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Suspense fallback={<div className="min-h-60" />}>
          <Spot picture={picture} onEnd={() => setOpen(false)} />
        </Suspense>
      </Dialog>
    </For>
  );
}
