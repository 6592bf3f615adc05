// How the rows of a cup fill the screen of a projector, which has no controls to scroll or to turn pages with.

import type { CupGame } from '../api/shapes.ts';

/** Height of a row, in em of the lists. */
export const LINE = 1.5;
/** Space between two columns, in em of the lists. */
export const GAP = 1.5;
/** Width of an average letter of a name in bold type, in em. Names that are wider are cut. */
const LETTER = 0.62;
/** Space beside the two names of a pairing and beside the name in a row of the table, in em. */
const [SCORES, RANK] = [3.6, 5];
/** Size of the type as shares of the shorter side of the screen: the last row of a classroom reads the smaller one. */
const [LARGEST, SMALLEST] = [0.05, 0.022];
/** The smallest type in pixels, unless a single column needs a smaller one. */
const READABLE = 16;
/** Milliseconds for which a page is shown. */
export const TURN = 8000;

/** What has to be shown, and where. */
export interface Content {
  /** Pixels of the space for both lists. */
  width: number;
  height: number;
  /** Pixels of the shorter side of the screen. */
  screen: number;
  games: number;
  rows: number;
  /** Characters of the longest name. */
  longest: number;
}

/** Some of the pairings or rows of the table: those from `from` to before `to`. */
export interface Part {
  from: number;
  to: number;
  columns: number;
  /** Width that the columns need, in em: the two lists share the screen by it. */
  width: number;
}
export interface Page {
  games: Part | null;
  rows: Part | null;
}
export interface Layout {
  /** Size of the type in pixels. */
  size: number;
  /** Together they show every pairing and every row. */
  pages: Page[];
}

/** Returns the layout with the fewest pages, and of those the one with the largest type. */
export function fit(content: Content): Layout {
  const one = content.width / Math.max(...widths(content)); // a single column fits
  const least = Math.min(Math.max(READABLE, SMALLEST * content.screen), one);
  const smallest = { size: least, pages: pagesAt(least, content) };
  for (let size = Math.floor(Math.min(LARGEST * content.screen, one)); size > least; size--) {
    const pages = pagesAt(size, content);
    const beside = (pages[0]?.rows === null) === (smallest.pages[0]?.rows === null);
    if (beside && pages.length <= smallest.pages.length) return { size, pages };
  }
  return smallest;
}

/** Returns the widths of a pairing and of a row of the table, in em. */
function widths({ longest }: Content): [game: number, row: number] {
  return [2 * LETTER * longest + SCORES, LETTER * longest + RANK];
}

/** Returns the pages for type of a size: both lists side by side, or in turn where their names are too wide for that. */
function pagesAt(size: number, content: Content): Page[] {
  const { width, height, games, rows } = content;
  const lines = Math.max(1, Math.floor(height / (LINE * size)));
  const [game, row] = widths(content);
  const columnsIn = (em: number, column: number): number => Math.floor((em + GAP) / (column + GAP));
  const split = (n: number, columns: number, column: number): Part[] => {
    const count = Math.ceil(n / (columns * lines));
    const each = Math.ceil(n / count); // pages are about as full as each other
    const used = Math.min(columns, Math.ceil(each / lines));
    return Array.from({ length: count }, (_, i) => ({
      ...{ columns: used, width: used * (column + GAP) },
      ...{ from: i * each, to: Math.min(n, (i + 1) * each) },
    }));
  };
  let best: Page[] | null = null;
  for (let columns = 1; columns <= Math.ceil(games / lines); columns++) {
    const beside = columnsIn(width / size - columns * (game + GAP), row);
    if (beside < 1) break;
    const [left, right] = [split(games, columns, game), split(rows, beside, row)];
    // The shorter list begins again, so that no part of a page is empty.
    const pages = Array.from({ length: Math.max(left.length, right.length) }, (_, i) => ({
      games: left[i % left.length] ?? null,
      rows: right[i % right.length] ?? null,
    }));
    if (best === null || pages.length < best.length) best = pages;
  }
  const alone = (column: number): number => Math.max(1, columnsIn(width / size, column));
  return (
    best ?? [
      ...split(games, alone(game), game).map((part) => ({ games: part, rows: null })),
      ...split(rows, alone(row), row).map((part) => ({ games: null, rows: part })),
    ]
  );
}

/** Returns the games that are still played before the others, each in the order of the boards. */
export function unfinishedFirst(games: readonly CupGame[]): CupGame[] {
  const over = ({ b, a_points, b_points }: CupGame): boolean =>
    b === null || (a_points !== null && b_points !== null);
  return [...games.filter((game) => !over(game)), ...games.filter(over)];
}
