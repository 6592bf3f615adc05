// Creation and styling of the page's charts.

import type * as Library from 'lightweight-charts';

export interface Line {
  /** The legend; empty for a line that shares another line's legend. */
  name: string;
  /** The design token of the colour. */
  color: '--accent' | '--soft' | '--bad' | '--gold' | '--note' | '--line-strong';
  /** Fills the area down to the axis. */
  area?: boolean;
  /** Draws a bar for each point. */
  bars?: boolean;
  /** Thin and without a marker at the pointer, for bounds. */
  faint?: boolean;
  /** Points by ascending x: a day as "2026-11-21", or a number. */
  points: readonly { x: string | number; y: number }[];
}

interface ChartOptions {
  lines: readonly Line[];
  count: ((n: number) => string) | undefined;
  format: (value: number) => string;
}

export type Series = Library.ISeriesApi<'Area' | 'Line' | 'Histogram'>;

export function draw(
  library: typeof Library,
  container: HTMLElement,
  { lines, count, format }: ChartOptions,
): { chart: Library.IChartApi; series: Series[] } {
  const chart = library.createChart(container, {
    autoSize: true,
    // The component shows the attribution below the chart: the library's own logo needs a style element, which the
    // Content-Security-Policy forbids.
    layout: { attributionLogo: false, fontFamily: getComputedStyle(container).fontFamily },
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
      return chart.addSeries(library.HistogramSeries, { priceLineVisible: false, lastValueVisible: false });
    return line.area
      ? chart.addSeries(library.AreaSeries, common)
      : chart.addSeries(library.LineSeries, common);
  });
  return { chart, series };
}

/** Applies the colours of the current theme to a chart. */
export function paint(
  chart: Library.IChartApi,
  series: readonly Series[],
  lines: readonly Line[],
  container: HTMLElement,
): void {
  const color = reader(container);
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

/**
 * Returns a function that resolves design tokens to canvas colours; the browser resolves light-dark() and color-mix().
 */
function reader(container: HTMLElement): (token: string, percent?: number) => string {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const probe = document.createElement('span');
  container.append(probe);
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
  queueMicrotask(() => probe.remove());
  return read;
}
