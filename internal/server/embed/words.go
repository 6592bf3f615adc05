package embed

import "strings"

// words are the texts of a page in a language, as the catalogues of the page have them. Those with a verb of package
// fmt are formats.
type words struct {
	Duel, CupKind, Cup, BotCup, Versus     string
	Waiting, NoOpponent, Cancelled, Paused string
	RoundN, Won, Draw, VoidResult          string
	CupRound, RoundOf, Victory             string
	Starts, ByHand                         string
	Round, Result, Tie, Void               string
	Sealed, Missed                         string
	Table, Rank, Player, Points, Out, Bye  string
	Open, NewTab, Missing, Unavailable     string
	Moves                                  map[string]string
}

// texts are the words by language.
var texts = map[string]*words{
	"en": {
		Duel: "Duel, best of five", CupKind: "Cup", Cup: "Cup %d", BotCup: "Bot cup %d", Versus: "%s vs. %s",
		Waiting: "Waiting for an opponent.", NoOpponent: "No opponent.", Cancelled: "Cancelled.", Paused: "Paused",
		RoundN: "Round %d", RoundOf: "Round %d of %d", Won: "%s won.", Draw: "Draw.", VoidResult: "The result is void.",
		Starts: "Starts at %s.", ByHand: "Starts when its host starts it.",
		CupRound: "Round %d", Victory: "Won by %s.",
		Round: "Round", Result: "Result", Tie: "Tie", Void: "Void", Sealed: "sealed", Missed: "missed",
		Table: "Table", Rank: "Rank", Player: "Player", Points: "Points", Out: "out", Bye: "bye",
		Open: "Open on Roshambo", NewTab: "(new tab)", Missing: "Not found.",
		Unavailable: "Not available at the moment.",
		Moves:       map[string]string{"rock": "Rock", "paper": "Paper", "scissors": "Scissors"},
	},
	"de": {
		Duel: "Duell, Best of five", CupKind: "Cup", Cup: "Cup %d", BotCup: "Bot-Cup %d", Versus: "%s gegen %s",
		Waiting: "Wartet auf einen Gegner.", NoOpponent: "Kein Gegner.", Cancelled: "Abgesagt.", Paused: "Pause",
		RoundN: "Runde %d", RoundOf: "Runde %d von %d", Won: "%s hat gewonnen.", Draw: "Unentschieden.",
		VoidResult: "Das Ergebnis ist ungültig.", Starts: "Beginnt um %s.", ByHand: "Beginnt, sobald gestartet wird.",
		CupRound: "Runde %d", Victory: "Sieg: %s.",
		Round: "Runde", Result: "Ergebnis", Tie: "Gleichstand", Void: "Ungültig", Sealed: "versiegelt", Missed: "verpasst",
		Table: "Tabelle", Rank: "Rang", Player: "Spieler", Points: "Punkte", Out: "draußen", Bye: "spielfrei",
		Open: "Auf Roshambo öffnen", NewTab: "(neuer Tab)", Missing: "Nicht gefunden.",
		Unavailable: "Im Moment nicht erreichbar.",
		Moves:       map[string]string{"rock": "Stein", "paper": "Papier", "scissors": "Schere"},
	},
	"es": {
		Duel: "Duelo, al mejor de cinco", CupKind: "Copa", Cup: "Copa %d", BotCup: "Copa de bots %d", Versus: "%s vs. %s",
		Waiting: "Esperando un rival.", NoOpponent: "Sin rival.", Cancelled: "Cancelado.", Paused: "En pausa",
		RoundN: "Ronda %d", RoundOf: "Ronda %d de %d", Won: "Ganó %s.", Draw: "Empate.",
		VoidResult: "El resultado es nulo.", Starts: "Empieza el %s.", ByHand: "Empieza cuando se inicie.",
		CupRound: "Ronda %d", Victory: "Victoria: %s.",
		Round: "Ronda", Result: "Resultado", Tie: "Empate", Void: "Nulo", Sealed: "sellada", Missed: "ausente",
		Table: "Tabla", Rank: "Puesto", Player: "Jugador", Points: "Puntos", Out: "fuera", Bye: "descansa",
		Open: "Abrir en Roshambo", NewTab: "(pestaña nueva)", Missing: "No encontrado.",
		Unavailable: "No disponible ahora.",
		Moves:       map[string]string{"rock": "Piedra", "paper": "Papel", "scissors": "Tijera"},
	},
	"fr": {
		Duel: "Duel, trois manches gagnantes", CupKind: "Coupe", Cup: "Coupe %d", BotCup: "Coupe des bots %d",
		Versus: "%s vs %s", Waiting: "En attente d’un adversaire.", NoOpponent: "Sans adversaire.", Cancelled: "Annulé.",
		Paused: "En pause", RoundN: "Manche %d", RoundOf: "Ronde %d sur %d", Won: "%s a gagné.", Draw: "Match nul.",
		VoidResult: "Le résultat est annulé.", Starts: "Commence le %s.", ByHand: "Commence quand l’hôte la lance.",
		CupRound: "Ronde %d", Victory: "Victoire : %s.",
		Round: "Manche", Result: "Résultat", Tie: "Égalité", Void: "Annulé", Sealed: "scellée", Missed: "manquée",
		Table: "Classement", Rank: "Rang", Player: "Joueur", Points: "Points", Out: "éliminé", Bye: "exempt",
		Open: "Ouvrir sur Roshambo", NewTab: "(nouvel onglet)", Missing: "Introuvable.",
		Unavailable: "Indisponible pour le moment.",
		Moves:       map[string]string{"rock": "Pierre", "paper": "Feuille", "scissors": "Ciseaux"},
	},
	"ja": {
		Duel: "デュエル（3本先取）", CupKind: "カップ", Cup: "カップ %d", BotCup: "ボットカップ %d", Versus: "%s 対 %s",
		Waiting: "対戦相手を待っています。", NoOpponent: "対戦相手なし。", Cancelled: "取消済み。", Paused: "一時停止中",
		RoundN: "ラウンド%d", RoundOf: "ラウンド %d / %d", Won: "%sが勝ちました。", Draw: "引き分け。",
		VoidResult: "結果は無効です。", Starts: "開始：%s", ByHand: "主催者が開始します。",
		CupRound: "ラウンド%d", Victory: "優勝：%s",
		Round: "ラウンド", Result: "結果", Tie: "あいこ", Void: "無効", Sealed: "封印済み", Missed: "時間切れ",
		Table: "順位表", Rank: "順位", Player: "プレイヤー", Points: "ポイント", Out: "失格", Bye: "不戦勝",
		Open: "Roshamboで開く", NewTab: "（新しいタブ）", Missing: "見つかりません。",
		Unavailable: "現在利用できません。",
		Moves:       map[string]string{"rock": "グー", "paper": "パー", "scissors": "チョキ"},
	},
}

// Language returns the first language of an Accept-Language that the page has; English for none.
func Language(accept string) string {
	for tag := range strings.SplitSeq(accept, ",") {
		if tag = strings.ToLower(strings.TrimSpace(tag)); len(tag) >= 2 && texts[tag[:2]] != nil {
			return tag[:2]
		}
	}
	return "en"
}
