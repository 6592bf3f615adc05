/** The pages of the ladders, as tabs. */
export const places = ['/leaderboard', '/season', '/daily', '/achievements', '/feed'] as const;
