import { Share2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { keyRoutes } from "../../../src/contract/routes/keys.ts";
import { useReply } from "../../api/use-reply.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { useMoreTexts } from "../../texts/more.ts";

const Links = lazy(() => import("./share-links.tsx"));

/** Opens the dialog that shares an event. A guest may not share. */
export function ShareButton({ eventId }: { readonly eventId: number }) {
  const { share } = useMoreTexts();
  const [isOpen, setOpen] = useState(false);
  const session = useReply(keyRoutes.getSession, {});
  if (session.data?.role === "guest") return null;
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Share2 aria-hidden size={16} /> {share.button}
      </Button>
      <Dialog title={share.title} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Suspense fallback={<div className="min-h-60" />}>
          <Links eventId={eventId} />
        </Suspense>
      </Dialog>
    </>
  );
}
