import { describe, expect, it } from "vitest";
import { visible, visibleLine } from "./visible";

describe("visible", () => {
  it("leaves ordinary text of any script alone", () => {
    for (const text of ["plain", "naïve café", "שלום עולם", "東京", "🙂", "👨‍👩‍👧 👩🏽‍💻", "line\nline\ttab"]) {
      expect(visible(text)).toBe(text);
    }
  });

  it("shows control characters as their pictures", () => {
    expect(visible("\u001b[31mred\u0000\u007f")).toBe("␛[31mred␀␡");
  });

  it("names what would reorder or hide text", () => {
    expect(visible("a\u202eb\u2066c\u200bd\ufeffe\u{e0041}f")).toBe("a⟨U+202E⟩b⟨U+2066⟩c⟨U+200B⟩d⟨U+FEFF⟩e⟨U+E0041⟩f");
  });

  it("names variation selectors, which can carry a whole message", () => {
    expect(visible("a\u034fb\ufe00c\u180bd\u{e0100}e\u17b4")).toBe("a⟨U+034F⟩b⟨U+FE00⟩c⟨U+180B⟩d⟨U+E0100⟩e⟨U+17B4⟩");
  });

  it("names lone surrogates and C1 controls", () => {
    expect(visible("\ud800x\u009b")).toBe("⟨U+D800⟩x⟨U+009B⟩");
  });

  it("changes nothing that is visible already", () => {
    for (let code = 0; code < 0x3000; code++) {
      const shown = visible(String.fromCodePoint(code));
      expect(visible(shown)).toBe(shown);
    }
  });
});

describe("visibleLine", () => {
  it("keeps everything on one line", () => {
    expect(visibleLine("a\r\nb\nc\td\re")).toBe("a⏎b⏎c⇥d⏎e");
  });
});
