import { File, Image as ImageIcon, Music, Video } from "lucide-react";
import { useState } from "react";
import { bytes } from "@/lib/format";
import type { Media } from "@/lib/message-parts";
import { Button, CopyButton } from "./button";
import css from "./message.module.css";
import { Recorded } from "./recorded";

const ICONS = new Map([
  ["image", ImageIcon],
  ["audio", Music],
  ["video", Video],
]);

// No SVG: it is a document of its own, with scripts and addresses in it.
const SHOWN = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"]);
const BASE64 = /^[A-Za-z0-9+/=_\s-]*$/;

/** An image, a sound or a file as what it is; an image whose data was recorded shows itself when asked to. */
export function MediaPart({ media }: { media: Media }) {
  const [shown, setShown] = useState(false);
  const Icon = ICONS.get(media.modality) ?? File;
  const address = shown ? addressOf(media) : null;
  return (
    <div className={css.media}>
      <div className={css.mediaHead}>
        <Icon size={14} aria-hidden />
        <span>{media.modality}</span>
        {media.mimeType !== null && <Recorded text={media.mimeType} className={css.id} />}
        {media.data !== null && <span className={css.id}>{bytes(Math.floor(media.data.length * 0.75))}</span>}
        {addressOf(media) !== null && <Button onClick={() => setShown(!shown)}>{shown ? "Hide" : "Show image"}</Button>}
      </div>
      {media.place !== null && (
        <div className={css.mediaHead}>
          <Recorded text={media.place} className={css.place} />
          <CopyButton text={media.place} label="Copy address" />
        </div>
      )}
      {address !== null && <img src={address} alt="As recorded" className={css.image} />}
    </div>
  );
}

function addressOf({ modality, mimeType, data }: Media): string | null {
  if (modality !== "image" || data === null || !BASE64.test(data.slice(0, 1000))) return null;
  const type = (mimeType ?? "image/png").toLowerCase();
  return SHOWN.has(type) ? `data:${type};base64,${data}` : null;
}
