/**
 * Reports whether to ask for the account to be saved after a run with a token. `asked` is the run after which the
 * question was asked before, if any: it is asked once, and stays while that run is on display.
 */
export function askFor(run_id: string, asked: string | null): boolean {
  return asked === null || asked === run_id;
}
