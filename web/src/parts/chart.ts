// How the page's charts are made and painted: nothing here touches data.

import type * as Library from 'lightweight-charts';

export interface Line {
  /** For the legend; empty when another line's name speaks for this one too. */
  name: string;
  /** The design token of its colour. */
  color: '--accent' | '--soft' | '--bad' | '--gold' | '--note' | '--line-strong';
  /** Filled down to the axis. */
  area?: boolean;
  /** A bar for each point, up from the axis. */
  bars?: boolean;
  /** Thin, without a mark at the pointer: a bound rather than a value. */
  faint?: boolean;
  /** x: a day as "2026-11-21", or a number that counts; rising. */
  points: readonly { x: string | number; y: number }[];
}

interface Look {
  lines: readonly Line[];
  count: ((n: number) => string) | undefined;
  format: (value: number) => string;
}

export type Series = Library.ISeriesApi<'Area' | 'Line' | 'Histogram'>;

export function draw(
  library: typeof Library,
  place: HTMLElement,
  { lines, count, format }: Look,
): { made: Library.IChartApi; series: Series[] } {
  const made = library.createChart(place, {
    autoSize: true,
    // The attribution stands below the chart: the library's own would bring a style element along, which the page's
    // policy forbids.
    layout: { attributionLogo: false, fontFamily: getComputedStyle(place).fontFamily },
    handleScroll: false,
    handleScale: false,
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.12, bottom: 0.08 } },
    timeScale: {
      borderVisible: false,
      fixLeftEdge: true,
      fixRightEdge: true,
      ...(count ? { tickMarkFormatter: (time: Library.Time) => count(Number(time)) } : {}),
    },
    crosshair: { horzLine: { visible: false } },
    localization: {
      priceFormatter: format,
      ...(count ? { timeFormatter: (time: Library.Time) => count(Number(time)) } : {}),
    },
  });
  const series = lines.map((line): Series => {
    const common = {
      lineWidth: line.faint ? (1 as const) : (2 as const),
      lastValueVisible: !line.faint,
      priceLineVisible: false,
      crosshairMarkerVisible: !line.faint,
    };
    if (line.bars)
      return made.addSeries(library.HistogramSeries, { priceLineVisible: false, lastValueVisible: false });
    return line.area
      ? made.addSeries(library.AreaSeries, common)
      : made.addSeries(library.LineSeries, common);
  });
  return { made, series };
}

/** Paints a chart in the colours that the page has now. */
export function paint(
  chart: Library.IChartApi,
  series: readonly Series[],
  lines: readonly Line[],
  place: HTMLElement,
): void {
  const color = reader(place);
  chart.applyOptions({
    layout: { background: { color: 'transparent' }, textColor: color('--soft') },
    grid: { vertLines: { visible: false }, horzLines: { color: color('--line') } },
    crosshair: {
      vertLine: { color: color('--line-strong'), labelBackgroundColor: color('--ink') },
      horzLine: { labelBackgroundColor: color('--ink') },
    },
  });
  lines.forEach((line, i) => {
    const [strong, weak] = [color(line.color), color(line.color, 22)];
    if (line.area)
      (series[i] as Library.ISeriesApi<'Area'>).applyOptions({
        lineColor: strong,
        topColor: weak,
        bottomColor: color(line.color, 2),
      });
    else (series[i] as Library.ISeriesApi<'Line' | 'Histogram'>).applyOptions({ color: strong });
  });
}

/** Reads design tokens as colours that a canvas knows: light-dark() and color-mix() are resolved by the browser. */
function reader(place: HTMLElement): (token: string, percent?: number) => string {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const probe = document.createElement('span');
  place.append(probe);
  const read = (token: string, percent = 100): string => {
    probe.style.color = `var(${token})`;
    const color = getComputedStyle(probe).color;
    if (!canvas) return color;
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r = 0, g = 0, b = 0] = canvas.getImageData(0, 0, 1, 1).data;
    return `rgba(${r}, ${g}, ${b}, ${percent / 100})`;
  };
  queueMicrotask(() => {
    probe.remove();
  });
  return read;
}
