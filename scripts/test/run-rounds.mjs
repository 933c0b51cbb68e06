// Runs stages in rounds, lanes of a round side by side.

/**
 * Runs `rounds` (of lanes, of stages). `start(stage, { isAlone })` resolves to `{ passed, failed, skipped?, output? }`;
 * `report` hears of each stage when it ends. Once one has failed none is started any more. Resolves to what became of
 * each, in the order of the rounds: `{ name, isSkipped, passed, failed, skipped, ms }`.
 */
export async function runRounds(rounds, { start, report }) {
  const results = new Map();
  const runOne = async (stage, isAlone) => {
    const { name } = stage;
    const hasFailed = [...results.values()].some(({ failed }) => failed > 0);
    if (hasFailed) {
      results.set(name, { name, isSkipped: true, passed: 0, failed: 0, skipped: 0, ms: 0 });
      return;
    }
    const startedAt = performance.now();
    const { passed, failed, skipped = 0, output } = await start(stage, { isAlone });
    const result = { name, isSkipped: false, passed, failed, skipped, ms: performance.now() - startedAt };
    results.set(name, result);
    report(result, output);
  };
  for (const lanes of rounds) {
    const isAlone = lanes.flat().length === 1;
    const runLane = async (lane) => {
      for (const stage of lane) await runOne(stage, isAlone);
    };
    await Promise.all(lanes.map(runLane));
  }
  return rounds.flat(2).map(({ name }) => results.get(name));
}
