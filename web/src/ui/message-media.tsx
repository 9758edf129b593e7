import { File, Image as ImageIcon, Music, Video } from "lucide-react";
import { useState } from "react";
import { bytes } from "@/lib/format";
import type { Media } from "@/lib/messages";
import { Button, CopyButton } from "./button";
import css from "./message.module.css";
import { Recorded } from "./recorded";

const ICONS = new Map([
  ["image", ImageIcon],
  ["audio", Music],
  ["video", Video],
]);

// No SVG: it is a document of its own and can contain scripts and links.
const SHOWN = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"]);
const BASE64 = /^[A-Za-z0-9+/=_\s-]*$/;

/** An image, audio or a file; a recorded image is shown on request. */
export function MediaPart({ media }: { media: Media }) {
  const [shown, setShown] = useState(false);
  const Icon = ICONS.get(media.modality) ?? File;
  const address = shown ? addressOf(media) : null;
  const place = placeOf(media);
  return (
    <div className={css.media}>
      <div className={css.mediaHead}>
        <Icon size={14} aria-hidden />
        <span>{media.modality}</span>
        {media.mime_type !== null && <Recorded text={media.mime_type} className={css.id} />}
        {media.type === "blob" && <span className={css.id}>{bytes(Math.floor(media.content.length * 0.75))}</span>}
        {addressOf(media) !== null && <Button onClick={() => setShown(!shown)}>{shown ? "Hide" : "Show image"}</Button>}
      </div>
      {place !== null && (
        <div className={css.mediaHead}>
          <Recorded text={place} className={css.place} />
          <CopyButton text={place} label="Copy address" />
        </div>
      )}
      {address !== null && <img src={address} alt="As recorded" className={css.image} />}
    </div>
  );
}

/** The address of a file whose data was not recorded. */
function placeOf(media: Media): string | null {
  if (media.type === "blob") return null;
  return media.type === "uri" ? media.uri : media.file_id;
}

function addressOf(media: Media): string | null {
  if (media.type !== "blob" || media.modality !== "image" || !BASE64.test(media.content.slice(0, 1000))) return null;
  const type = (media.mime_type ?? "image/png").toLowerCase();
  return SHOWN.has(type) ? `data:${type};base64,${media.content}` : null;
}
