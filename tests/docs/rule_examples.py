"""The worked examples of docs/rules/: which records each preset's page tells, with titles and the Chinese explanations.

The English explanation is the record's own comment.
"""

from __future__ import annotations

from typing import NamedTuple


class Example(NamedTuple):
    """A record of tests/records, by name, with its title in both languages and what it shows in Chinese."""

    record: str
    title_en: str
    title_zh: str
    text_zh: str


EXAMPLES: dict[str, tuple[Example, ...]] = {
    "qingdao": (
        Example(
            "R12_every_card_stronger",
            "Every card stronger",
            "张张都要大",
            "ss999 要用 bbsTT 才能管上：两手牌都从大到小排好，每一张都要大过对应的那一张。bb999 的 9 不大，"
            "sbTTT 的小花不大，bbb88 的 8 不大，都管不上。",
        ),
        Example(
            "R22_only_the_opposite_answers_gouji",
            "Gouji is answered by the opposite alone",
            "够级牌只有对头能上",
            "够级牌只由对头应；别家只被问烧不烧，不问上不上。没人管上，就是活牌，出牌人接着发牌。",
        ),
        Example(
            "R24_yield_then_asked_again",
            "Yielding",
            "让牌",
            "3 号遇对头的牌，先让给下两家；两家都过，再回头问 3 号上还是过。它没有过牌，这时仍可上牌，但不能再让一次。",
        ),
        Example(
            "R26_dead_gouji_on_a_low_last_play",
            "A dead gouji",
            "够死级",
            "0 号以一张小牌先走成头科；其对头用够级牌管上，就是够死级：谁也不能再上，4、5 号只能烧。",
        ),
        Example(
            "R27_wind_is_granted",
            "Catching the wind",
            "接风",
            "头科的下家不上牌，申请接风；别家都不上，就由它发牌。",
        ),
        Example(
            "R32_allies_of_the_owner_first",
            "Two burners: the owner's ally first",
            "两家要烧，联邦优先",
            "1 号和 4 号都要烧。4 号是出牌人的联邦，先于 1 号，尽管 1 号更近、答得更早。1 号的选择无效，"
            "也没人知道；它作为 4 号的对头，随后照样应牌。",
        ),
        Example(
            "R34_leads_hold_a_joker",
            "A burner's leads hold a joker",
            "烧牌之后手手挂花",
            "烧牌的人活了，继续发牌，手手都要挂花，只有出完手牌的最后一手可以不挂。",
        ),
        Example(
            "R51_fourth_place",
            "A revolutionary is fourth",
            "革命者为四科",
            "革命者占四科，其余各家依次得头科、二科、三科、二落、大落。",
        ),
        Example(
            "R60_a_sweep",
            "A sweep",
            "串三户",
            "一方包了头科、二科、三科，就是串三户。青岛打法得分翻番，12 比 0。",
        ),
    ),
    "hokkaido": (
        Example(
            "R07_burners_in_plain_turn_order",
            "Nobody has allies",
            "个人计分，没有联邦",
            "个人计分时各家单打：两家要烧，只按出牌顺序，近的先；青岛打法里 4 号本是出牌人的联邦，会先烧，"
            "这里轮不到它。",
        ),
        Example(
            "R07_three_of_one_side_are_no_sweep",
            "Everyone scores for itself",
            "各记各的分",
            "0、2、4 号先走，也不算串三户：没有哪一方，一直打到只剩一家有牌。各家按名次得 2、1、0、0、−1、−2 分。",
        ),
        Example(
            "R35_points_instead_of_tribute",
            "A burn is worth a point",
            "烧牌算分",
            "烧成功的得 1 分，被烧的失 1 分，加在名次分上。",
        ),
        Example(
            "R66_a_slam_by_another",
            "Slam, as an option",
            "满贯（选项）",
            "2 号从第一手到最后一手没有别人出过一张牌：满贯，得 6 分；首发牌的人失 2 分，其余各失 1 分。"
            "本盘别无其他得分，立即结束。",
        ),
        Example(
            "R65_gap_doubles",
            "The gap, as an option",
            "隔山二重分（选项）",
            "大落与头科隔一家，本盘一切得分、烧牌分和进贡都加倍；二落与二科同样隔一家，也只加倍一次。",
        ),
        Example(
            "R82_three_times_a_deal",
            "Feeling a hand, as an option",
            "摸班（选项）",
            "每盘最多三次，随时可摸对头的手牌厚薄，六张一档；轮不到自己时也行。厚薄只有自己知道，被摸过这件事六家都听得到。",
        ),
    ),
    "chinagames": (
        Example(
            "R12_mixed_jokers_count_as_small",
            "Both jokers in one play",
            "大小花同出算小花",
            "大小花同在一手，大花都当小花：bs25555 是两张小花带五个 5，bb66666 管得上；"
            "自己也大小花混着的 bs66666 管不上。",
        ),
        Example(
            "R26_gouji_last_needs_a_gouji_last_play",
            "A last play that is no gouji play",
            "底牌不是够级牌",
            "头科的底牌不是够级牌，对头用够级牌管上也不是够死级，只是无头者的牌：别家可以再上。",
        ),
        Example(
            "R28_active_four_with_a_revolutionary",
            "A melee with a revolutionary",
            "有人革命时的乱缠",
            "有一家革命，再走一家，只剩四家在打：从下一轮起就是四人乱缠。",
        ),
        Example(
            "R74_s1_with_calls",
            "Point tribute after calls",
            "叫点之后的点贡",
            "0 号预点并开点，对头 3 号叫过明点却没有开点，进 4+4＝8 张；1 号明点并开点，4 号预点而没有开点，"
            "进 2+8＝10 张；2 号与 5 号都没有开点，各按对方所叫，5 号进 4 张，2 号进 2 张。",
        ),
        Example(
            "R73_a_receiver_may_refuse",
            "Tribute refused",
            "不吃贡",
            "吃贡者可以不吃；不吃就什么也不进，也不用还。",
        ),
        Example(
            "R80_asked",
            "Counts are asked for",
            "问报牌",
            "余牌数不亮，任何人可以随时问任何一家：十张及以下照实报，多了只说“不够报”，众人都听得见。",
        ),
        Example(
            "R76_match_ends",
            "A sweep ends the match",
            "串三户即终局",
            "一方串三户，这一整局就结束，不再进贡；得分翻番。",
        ),
    ),
    "shandong": (
        Example(
            "R31_bluff_beating_is_enough",
            "A bluff",
            "诈烧",
            "只要管得上就能烧，哪怕余牌凑不出手手挂花。没人解烧，它发不出挂花的牌，烧失败，落为大落。",
        ),
        Example(
            "R35_a_counter_burn_doubles",
            "A counter-burn doubles",
            "反烧加倍",
            "2 号反烧了 4 号并走脱：被反烧的 4 号欠两张烧贡，先被 4 号烧的 0 号什么也不欠。",
        ),
        Example(
            "R40_big_joker_is_excluded",
            "What does not open",
            "大花不算开点",
            "带大花的牌活了不算开点，带小花的算。",
        ),
        Example(
            "R74_s2_one_called",
            "Point tribute with one call",
            "一家叫点的点贡",
            "一对对头里只有一家叫点：开了点的收没开点的 3 张，不论叫点的是谁；都没有开点，叫点的进 1 张，"
            "另一家进 2 张。",
        ),
        Example(
            "R73_must_match",
            "Returns that must match",
            "还贡要对得上",
            "还贡须还进贡者手里有的点数，只要自己有：7 当众退回，4 收下。",
        ),
        Example(
            "R76_by_place",
            "Tribute after a sweep",
            "串三户后照常进贡",
            "串三户之后照名次进落贡：大落向头科进两张，二落向二科进一张。",
        ),
        Example(
            "R81_ten",
            "Looking at an ally's hand",
            "挑牌",
            "余牌十张及以下的，可让两家联邦看牌；多于十张，走了科的联邦也不能看。",
        ),
    ),
    "lianzhong": (
        Example(
            "R45_threes_come_last",
            "3s come last",
            "3 留到最后",
            "手里有 3，就要留到最后一手单独出：先发、拆开、贴钱、挂花都不行。",
        ),
        Example(
            "R46_stifled_and_nobody_is_told",
            "Stifled",
            "被闷",
            "0 号出 3 之前的那手牌被 1 号管上：它被闷了，要向 1 号进一张闷贡。它走完之前谁也看不出来。"
            "只剩 3 时照样问它，它只能过牌。",
        ),
        Example(
            "R31_under_hold_three_a_joker_for_every_rank",
            "Burning while holding 3s",
            "憋三时的烧牌",
            "余牌里有 3，其余每个点数都要有一张花可挂：只有 55 和 3 而没有花不能烧，多一张小花就能烧。",
        ),
        Example(
            "R28_at_once_after_passes_in_the_trick",
            "The melee begins at once",
            "二科一走立即乱缠",
            "二科的底牌还在桌上，乱缠已经开始：本轮过了牌的 4 号又被问到，够级牌也按顺序轮着管。",
        ),
        Example(
            "R26_none_the_answer_is_a_headless_seats",
            "No dead goujis",
            "没有够死级",
            "头科的对头管上底牌，只算无头者的牌：不能烧，别家按顺序可以再上。",
        ),
        Example(
            "R50_hold_three_only",
            "Who may revolt",
            "谁能革命",
            "没有 3、没有钱、没有花的才可以革命。",
        ),
        Example(
            "R74_returned_in_s3",
            "Point tribute is returned",
            "点贡也还",
            "点贡进了多少还多少，而且先还点贡，再还落贡。",
        ),
    ),
    "competition": (
        Example(
            "R15_kill_anyone",
            "Killing out of turn",
            "乱杀",
            "两张大花可以乱杀别家的一张大花，不论是不是对头。杀了不算烧牌，之后发牌也不必挂花。",
        ),
        Example(
            "R43_the_lead_after_opening_holds_a_four",
            "Opening leads a four",
            "开点发 4",
            "开点之后的那一手要发 4，至少带一张真 4；之后随意。",
        ),
        Example(
            "R43_a_four_is_bought_from_the_opposite",
            "Buying a four",
            "买 4",
            "开点的人没有 4，用一张 2 向对头买，对头要有两张以上。",
        ),
        Example(
            "R46_last_place",
            "Stifled is out",
            "被清 3 即出局",
            "出 3 之前的那手牌被管上，当场出局，落到空着的最低名次；这一轮接着打。",
        ),
        Example(
            "R46_last_place_costs_points",
            "What it costs",
            "扣多少分",
            "名次得 7、5、4、3、2、1 分。0 号被清 3，扣 2 分；六家都没有开点，各扣 2 分。",
        ),
        Example(
            "R64_burned_costs_two",
            "Burned costs two points",
            "被烧扣两分",
            "被烧的 0 号扣 2 分，烧牌的不加分；除开点的 4 号外，各家另扣 2 分。",
        ),
    ),
}
"""The records that each preset's pages tell, in the order of telling."""
