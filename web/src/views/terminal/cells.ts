/**
 * How many cells a character takes: the multiplexer's grid decides (core/cells.py is the same table). Pure.
 *
 * Selectors and joiners have no width, what follows a joiner belongs to the cell before, emoji are two cells.
 */

// East Asian wide and full-width, and the emoji blocks. Pairs of first and last.
const WIDE: readonly number[] = [
  0x1100, 0x115f, 0x231a, 0x231b, 0x2329, 0x232a, 0x23e9, 0x23ec, 0x23f0, 0x23f0, 0x23f3, 0x23f3, 0x25fd, 0x25fe,
  0x2614, 0x2615, 0x2648, 0x2653, 0x267f, 0x267f, 0x2693, 0x2693, 0x26a1, 0x26a1, 0x26aa, 0x26ab, 0x26bd, 0x26be,
  0x26c4, 0x26c5, 0x26ce, 0x26ce, 0x26d4, 0x26d4, 0x26ea, 0x26ea, 0x26f2, 0x26f3, 0x26f5, 0x26f5, 0x26fa, 0x26fa,
  0x26fd, 0x26fd, 0x2705, 0x2705, 0x270a, 0x270b, 0x2728, 0x2728, 0x274c, 0x274c, 0x274e, 0x274e, 0x2753, 0x2755,
  0x2757, 0x2757, 0x2795, 0x2797, 0x27b0, 0x27b0, 0x27bf, 0x27bf, 0x2b1b, 0x2b1c, 0x2b50, 0x2b50, 0x2b55, 0x2b55,
  0x2e80, 0x303e, 0x3041, 0x3247, 0x3250, 0x4dbf, 0x4e00, 0xa4c6, 0xa960, 0xa97c, 0xac00, 0xd7a3, 0xf900, 0xfaff, 0xfe10, 0xfe19,
  0xfe30, 0xfe6b, 0xff01, 0xff60, 0xffe0, 0xffe6, 0x16fe0, 0x18d08, 0x1aff0, 0x1b2fb, 0x1f004, 0x1f004, 0x1f0cf, 0x1f0cf,
  0x1f18e, 0x1f18e, 0x1f191, 0x1f19a, 0x1f200, 0x1f320, 0x1f32d, 0x1f335, 0x1f337, 0x1f37c, 0x1f37e, 0x1f393,
  0x1f3a0, 0x1f3ca, 0x1f3cf, 0x1f3d3, 0x1f3e0, 0x1f3f0, 0x1f3f4, 0x1f3f4, 0x1f3f8, 0x1f43e, 0x1f440, 0x1f440,
  0x1f442, 0x1f4fc, 0x1f4ff, 0x1f53d, 0x1f54b, 0x1f54e, 0x1f550, 0x1f567, 0x1f57a, 0x1f57a, 0x1f595, 0x1f596,
  0x1f5a4, 0x1f5a4, 0x1f5fb, 0x1f64f, 0x1f680, 0x1f6c5, 0x1f6cc, 0x1f6cc, 0x1f6d0, 0x1f6d2, 0x1f6d5, 0x1f6d7,
  0x1f6dc, 0x1f6df, 0x1f6eb, 0x1f6ec, 0x1f6f4, 0x1f6fc, 0x1f7e0, 0x1f7eb, 0x1f7f0, 0x1f7f0, 0x1f900, 0x1faff,
  0x20000, 0x3fffd,
];
const NOTHING = /[\p{Mn}\p{Me}\p{Cf}\p{Cc}\u1160-\u11ff]/u;
const ZERO_WIDTH_JOINER = 0x200d;

export function cellsOf(point: number): 0 | 1 | 2 {
  if (point < 0x300) return point < 32 || (point >= 0x7f && point < 0xa0) || point === 0xad ? 0 : 1;
  if (NOTHING.test(String.fromCodePoint(point))) return 0;
  let low = 0;
  let high = WIDE.length / 2 - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (point < (WIDE[2 * middle] ?? 0)) high = middle - 1;
    else if (point > (WIDE[2 * middle + 1] ?? 0)) low = middle + 1;
    else return 2;
  }
  return 1;
}

function isSkinTone(point: number): boolean {
  return point >= 0x1f3fb && point <= 0x1f3ff;
}

const TONE_BEHIND = /\x1b\[\d+G([\u{1f3fb}-\u{1f3ff}])/gu;

/**
 * A frame whose skin tones stand with their emoji. The multiplexer gives them cells of their own, but a browser draws
 * both as one; what follows has its column named, so it stays in its place.
 */
export function withTones(data: string): string {
  return data.includes("\ud83c") ? data.replace(TONE_BEHIND, "$1") : data;
}

export interface Cluster {
  text: string;
  cells: number;
}

/** Characters with what belongs to their cells, in order. */
export function clusters(text: string): Cluster[] {
  const found: Cluster[] = [];
  let isJoined = false;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    const cells = isJoined ? 0 : cellsOf(point);
    const last = found.at(-1);
    if (cells === 0 && last !== undefined) last.text += character;
    else found.push({ text: character, cells });
    isJoined = point === ZERO_WIDTH_JOINER;
  }
  return found;
}

/** For xterm's parser: the same table. Bits: what the next character must know, width, whether it joins the one before. */
export const GRID = {
  version: "grid",
  wcwidth: cellsOf,
  charProperties(point: number, before: number): number {
    const beforeWidth = (before >> 1) & 3;
    const isJoined = before >> 3 === 1 || (beforeWidth === 2 && isSkinTone(point));
    const width = isJoined ? 0 : cellsOf(point);
    const joins = width === 0 && before !== 0 && beforeWidth !== 0;
    const state = point === ZERO_WIDTH_JOINER ? 1 : 0;
    return (state << 3) | ((joins ? beforeWidth : width) << 1) | Number(joins);
  },
};
