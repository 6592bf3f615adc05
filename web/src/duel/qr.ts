// QR codes (ISO/IEC 18004): byte mode, error correction level M, versions 1 to 10, up to 213 bytes. The bit stream of
// the data is padded, split into blocks with Reed-Solomon codewords, interleaved, and laid out around the fixed
// patterns; one of eight masks, the one with the least penalty, avoids patterns that confuse scanners.

/** Reed-Solomon codewords of each block, and the number of blocks, by version from 1. */
const eccPerBlock = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26];
const blockCount = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5];

const masks: ((x: number, y: number) => number)[] = [
  (x, y) => (x + y) % 2,
  (_, y) => y % 2,
  (x) => x % 3,
  (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
];

/** Returns the rows of the QR code of a text; true is dark. Throws RangeError if the text is too long. */
export function qrCode(text: string): boolean[][] {
  const data = new TextEncoder().encode(text);
  const version = eccPerBlock.findIndex((_, i) => data.length <= capacity(i + 1)) + 1;
  if (version === 0) throw new RangeError('the text is too long for a QR code');
  const bits = interleave(version, codewords(version, data));
  let best: boolean[][] = [];
  let least = Infinity;
  for (let mask = 0; mask < masks.length; mask++) {
    const candidate = draw(version, bits, mask);
    const score = penalty(candidate);
    if (score < least) [best, least] = [candidate, score];
  }
  return best;
}

/** Returns all codewords that fit into a version. */
function total(version: number): number {
  const align = Math.floor(version / 7) + 2;
  const alignment = version === 1 ? 0 : (25 * align - 10) * align - 55;
  return ((16 * version + 128) * version + 64 - alignment - (version >= 7 ? 36 : 0)) >> 3;
}

function at(list: ArrayLike<number>, i: number): number {
  return list[i] ?? 0;
}

function dataLength(version: number): number {
  return total(version) - at(eccPerBlock, version - 1) * at(blockCount, version - 1);
}

function capacity(version: number): number {
  return dataLength(version) - (version < 10 ? 2 : 3);
}

function codewords(version: number, data: Uint8Array): number[] {
  const bits: number[] = [];
  const put = (value: number, length: number): void => {
    for (let i = length - 1; i >= 0; i--) bits.push((value >> i) & 1);
  };
  put(4, 4); // byte mode
  put(data.length, version < 10 ? 8 : 16);
  for (const byte of data) put(byte, 8);
  put(0, 4); // terminator
  const bytes: number[] = [];
  for (let i = 0; i < bits.length; i += 8) {
    let byte = 0;
    for (let j = 0; j < 8; j++) byte = (byte << 1) | at(bits, i + j);
    bytes.push(byte);
  }
  for (let pad = 0xec; bytes.length < dataLength(version); pad ^= 0xec ^ 0x11) bytes.push(pad);
  return bytes.slice(0, dataLength(version));
}

/** Multiplies in the field GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let i = 7; i >= 0; i--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    product ^= ((b >> i) & 1) * a;
  }
  return product;
}

/** Returns the Reed-Solomon codewords of a block. */
function correction(block: number[], length: number): number[] {
  const generator = new Array<number>(length).fill(0);
  generator[length - 1] = 1;
  for (let i = 0, root = 1; i < length; i++, root = multiply(root, 2)) {
    for (let j = 0; j < length; j++) generator[j] = multiply(at(generator, j), root) ^ at(generator, j + 1);
  }
  const rest = new Array<number>(length).fill(0);
  for (const byte of block) {
    const factor = byte ^ at(rest, 0);
    rest.shift();
    rest.push(0);
    for (let j = 0; j < length; j++) rest[j] = at(rest, j) ^ multiply(at(generator, j), factor);
  }
  return rest;
}

/** Adds the correction of each block and interleaves the blocks. */
function interleave(version: number, data: number[]): number[] {
  const [blocks, length] = [at(blockCount, version - 1), at(eccPerBlock, version - 1)];
  const long = data.length % blocks; // the last blocks have one codeword more
  const size = Math.floor(data.length / blocks);
  const parts: number[][] = [];
  for (let i = 0, start = 0; i < blocks; i++) {
    const end = start + size + (i >= blocks - long ? 1 : 0);
    parts.push(data.slice(start, end));
    start = end;
  }
  const checks = parts.map((part) => correction(part, length));
  const out: number[] = [];
  for (let i = 0; i <= size; i++) for (const part of parts) if (i < part.length) out.push(at(part, i));
  for (let i = 0; i < length; i++) for (const check of checks) out.push(at(check, i));
  return out;
}

function draw(version: number, bytes: number[], mask: number): boolean[][] {
  const size = 17 + 4 * version;
  const dark: boolean[][] = Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
  const fixed: boolean[][] = Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
  const set = (x: number, y: number, on: boolean): void => {
    const [row, reserved] = [dark[y], fixed[y]];
    if (!row || !reserved || x < 0 || x >= size) return;
    [row[x], reserved[x]] = [on, true];
  };
  for (let i = 0; i < size; i++) {
    set(6, i, i % 2 === 0);
    set(i, 6, i % 2 === 0);
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    for (let dy = -4; dy <= 4; dy++)
      for (let dx = -4; dx <= 4; dx++) {
        const ring = Math.max(Math.abs(dx), Math.abs(dy));
        set(x + dx, y + dy, ring !== 2 && ring !== 4);
      }
  const places = alignment(version);
  for (const [i, x] of places.entries())
    for (const [j, y] of places.entries()) {
      const corner = (i === 0 && j === 0) || i + j === places.length - 1;
      if (corner && (i === 0 || j === 0)) continue; // a finder is there
      for (let dy = -2; dy <= 2; dy++)
        for (let dx = -2; dx <= 2; dx++) set(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
    }
  format(version, mask, size, set);
  let n = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5; // the timing pattern
    for (let step = 0; step < size; step++)
      for (const x of [right, right - 1]) {
        const y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
        const [row, reserved] = [dark[y], fixed[y]];
        if (!row || !reserved || reserved[x]) continue;
        const bit = (at(bytes, n >> 3) >> (7 - (n & 7))) & 1;
        n++;
        row[x] = (bit === 1) !== (masks[mask]?.(x, y) === 0);
      }
  }
  return dark;
}

/** Returns the coordinates of the alignment patterns. */
function alignment(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2;
  const list = [6];
  for (let i = count - 2; i >= 0; i--) list.push(version * 4 + 10 - i * step);
  return list;
}

/** Draws the error correction level with the mask, and the version from 7 on, each with its BCH code. */
function format(
  version: number,
  mask: number,
  size: number,
  set: (x: number, y: number, on: boolean) => void,
): void {
  let rest = mask; // level M is 00
  for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
  const bits = ((mask << 10) | rest) ^ 0x5412;
  const bit = (i: number): boolean => ((bits >> i) & 1) === 1;
  for (let i = 0; i < 15; i++) {
    const near = i < 6 ? i : i < 8 ? i + 1 : 14 - i + (i === 8 ? 1 : 0);
    if (i < 8) set(8, near, bit(i));
    else set(near, 8, bit(i));
    if (i < 8) set(size - 1 - i, 8, bit(i));
    else set(8, size - 15 + i, bit(i));
  }
  set(8, size - 8, true);
  if (version < 7) return;
  rest = version;
  for (let i = 0; i < 12; i++) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
  const info = (version << 12) | rest;
  for (let i = 0; i < 18; i++) {
    const [a, b] = [size - 11 + (i % 3), Math.floor(i / 3)];
    set(a, b, ((info >> i) & 1) === 1);
    set(b, a, ((info >> i) & 1) === 1);
  }
}

/** Returns the penalty of a code: long runs, blocks, patterns like finders, and imbalance. */
function penalty(rows: boolean[][]): number {
  const size = rows.length;
  const columns = rows.map((_, x) => rows.map((row) => row[x] ?? false));
  let score = 0;
  for (const line of [...rows, ...columns]) {
    const text = line.map((on) => (on ? '1' : '0')).join('');
    for (const run of text.match(/0{5,}|1{5,}/g) ?? []) score += run.length - 2;
    for (let i = 0; i + 11 <= size; i++) {
      const part = text.slice(i, i + 11);
      if (part === '10111010000' || part === '00001011101') score += 40;
    }
  }
  let count = 0;
  for (const [y, row] of rows.entries())
    for (const [x, on] of row.entries()) {
      if (on) count++;
      const [below, right] = [rows[y + 1]?.[x], row[x + 1]];
      if (on === right && on === below && on === rows[y + 1]?.[x + 1]) score += 3;
    }
  return score + 10 * Math.floor(Math.abs((20 * count) / (size * size) - 10));
}
