"use strict";
(async () => {
  const unpacked = (id) => {
    const packed = atob(document.getElementById(id).textContent);
    const bytes = Uint8Array.from(packed, (character) => character.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  };
  // The policy of the page takes these very texts alone, by their hashes.
  const policy = window.trustedTypes?.createPolicy("inspector", { createScript: (text) => text });
  const style = document.createElement("style");
  const script = document.createElement("script");
  style.textContent = await unpacked("app-style");
  const text = await unpacked("app-script");
  script.textContent = policy ? policy.createScript(text) : text;
  document.head.append(style);
  document.body.append(script);
})().catch((error) => {
  document.getElementById("root").textContent =
    `This file cannot be shown: it was cut on its way, or the browser is older than 2023. (${error.message})`;
});
