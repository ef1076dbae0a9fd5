"""Numbers that functions of vectors are computed with, made by `python -m tests.bench.native.polynomials`.

PARTS are constants in three parts, POLYNOMIALS coefficients from the highest power to the lowest.
"""

from __future__ import annotations


def _read(*rows: str) -> tuple[float, ...]:
    return tuple(float.fromhex(number) for row in rows for number in row.split())


# fmt: off
PARTS: dict[tuple[str, str], tuple[float, ...]] = {
    ("pi", "f32"): _read(
        "0x1.921fb6p+1 -0x1.777a5cp-24 -0x1.ee59dap-49",
    ),
    ("ln 2", "f32"): _read(
        "0x1.62e43p-1 -0x1.05c61p-29 -0x1.950d88p-54",
    ),
    ("log2 e", "f32"): _read(
        "0x1.715476p+0 0x1.4ae0cp-26 -0x1.e8883p-52",
    ),
    ("2 log2 e", "f32"): _read(
        "0x1.715476p+1 0x1.4ae0cp-25 -0x1.e8883p-51",
    ),
    ("log10 2", "f32"): _read(
        "0x1.344136p-2 -0x1.ec10cp-27 -0x1.0cee0ep-54",
    ),
    ("log10 e", "f32"): _read(
        "0x1.bcb7b2p-2 -0x1.5b235ep-27 -0x1.cd5954p-54",
    ),
    ("third", "f32"): _read(
        "0x1.555556p-2 -0x1.555556p-27 0x1.555556p-52",
    ),
    ("cbrt 2", "f32"): _read(
        "0x1.428a3p+0 -0x1.9ca35ep-26 0x1.7111eep-51",
    ),
    ("cbrt 1/2", "f32"): _read(
        "0x1.965feap-1 0x1.4f5b9p-27 -0x1.bea7d4p-52",
    ),
    ("pi", "f64"): _read(
        "0x1.921fb54442d18p+1 0x1.1a62633145c07p-53 -0x1.f1976b7ed8fbcp-109",
    ),
    ("ln 2", "f64"): _read(
        "0x1.62e42fefa39efp-1 0x1.abc9e3b39803fp-56 0x1.7b57a079a1934p-111",
    ),
    ("log2 e", "f64"): _read(
        "0x1.71547652b82fep+0 0x1.777d0ffda0d24p-56 -0x1.60bb8a5442ab9p-110",
    ),
    ("2 log2 e", "f64"): _read(
        "0x1.71547652b82fep+1 0x1.777d0ffda0d24p-55 -0x1.60bb8a5442ab9p-109",
    ),
    ("log10 2", "f64"): _read(
        "0x1.34413509f79ffp-2 -0x1.9dc1da994fd21p-59 0x1.22f04d5a618a8p-114",
    ),
    ("log10 e", "f64"): _read(
        "0x1.bcb7b1526e50ep-2 0x1.95355baaafad3p-57 0x1.ee191f71a3012p-112",
    ),
    ("third", "f64"): _read(
        "0x1.5555555555555p-2 0x1.5555555555555p-56 0x1.5555555555555p-110",
    ),
    ("cbrt 2", "f64"): _read(
        "0x1.428a2f98d728bp+0 -0x1.ddc22548ea41ep-56 0x1.43430a23c40a4p-110",
    ),
    ("cbrt 1/2", "f64"): _read(
        "0x1.965fea53d6e3dp-1 -0x1.f53e999952f09p-55 0x1.37bc6601d8856p-111",
    ),
}
POLYNOMIALS: dict[tuple[str, str], tuple[float, ...]] = {
    ("exp", "f32"): _read(
        "0x1.6d112cp-10 0x1.120b9p-7 0x1.55551ap-5 0x1.5554dcp-3",
        "0x1p-1",
    ),
    ("exp", "f64"): _read(
        "0x1.af38c67fbb53fp-26 0x1.28919ccaf9211p-22 0x1.71de0da24602dp-19 0x1.a019b8f9792eep-16",
        "0x1.a01a01a7c73cp-13 0x1.6c16c17890eb4p-10 0x1.11111111109afp-7 0x1.5555555553d56p-5",
        "0x1.5555555555556p-3 0x1.0000000000001p-1",
    ),
    ("exp2", "f32"): _read(
        "0x1.44138ap-13 0x1.5f089p-10 0x1.3b2a54p-7 0x1.c6af6cp-5",
        "0x1.ebfbep-3 0x1.62e43p-1",
    ),
    ("exp2", "f64"): _read(
        "0x1.e9d3fe3952179p-32 0x1.e6063f7217bc6p-28 0x1.b524fae627834p-24 0x1.62bfd47773353p-20",
        "0x1.ffcbfc670dcd4p-17 0x1.430913096fd9fp-13 0x1.5d87fe78a5276p-10 0x1.3b2ab6fba1ddap-7",
        "0x1.c6b08d704a0c2p-5 0x1.ebfbdff82c598p-3 0x1.62e42fefa39efp-1",
    ),
    ("sinh", "f32"): _read(
        "0x1.11d96cp-7 0x1.555526p-3",
    ),
    ("sinh", "f64"): _read(
        "0x1.af38c67fbb53ep-26 0x1.71de0da24602dp-19 0x1.a01a01a7c73cp-13 0x1.11111111109afp-7",
        "0x1.5555555555556p-3",
    ),
    ("cosh", "f32"): _read(
        "0x1.6cdf0ep-10 0x1.55553ep-5",
    ),
    ("cosh", "f64"): _read(
        "0x1.1f66eff4fc984p-29 0x1.27e4e1ed9933ep-22 0x1.a01a01a47ccd9p-16 0x1.6c16c16c167dfp-10",
        "0x1.5555555555555p-5",
    ),
    ("log2", "f32"): _read(
        "0x1.03a1ccp-3 -0x1.a25dd4p-3 0x1.b6508p-3 -0x1.ea214ap-3",
        "0x1.270d1p-2 -0x1.7158cep-2 0x1.ec71e4p-2 -0x1.715474p-1",
    ),
    ("log10", "f32"): _read(
        "0x1.38a0cap-5 -0x1.f7c374p-5 0x1.07e44p-4 -0x1.271672p-4",
        "0x1.6346dep-4 -0x1.bcbcecp-4 0x1.287b3ap-3 -0x1.bcb7bp-3",
    ),
    ("log", "f32"): _read(
        "0x1.1d8ea6p-4 -0x1.d635bcp-4 0x1.dea282p-4 -0x1.fcf4c6p-4",
        "0x1.23d21ap-3 -0x1.555b4ap-3 0x1.999d5ap-3 -0x1.fffffcp-3",
        "0x1.555554p-2",
    ),
    ("log ratio", "f64"): _read(
        "0x1.2b584aae78a57p-3 0x1.39fe606542ddep-3 0x1.7462b4ab2ef6bp-3 0x1.c71c62e5800a1p-3",
        "0x1.2492492df148dp-2 0x1.99999999952e2p-2 0x1.5555555555558p-1",
    ),
    ("log quick", "f32"): _read(
        "0x1.5d8646p-4 -0x1.243c02p-3 0x1.32bcb8p-3 -0x1.53846ep-3",
        "0x1.98b29p-3 -0x1.00038cp-2 0x1.555796p-2 -0x1.fffffep-2",
        "0x1p+0",
    ),
    ("log2 quick", "f32"): _read(
        "0x1.f841dcp-4 -0x1.a59aeap-3 0x1.ba8738p-3 -0x1.e9d1e6p-3",
        "0x1.26d01cp-2 -0x1.715994p-2 0x1.ec73dep-2 -0x1.715474p-1",
        "0x1.715476p+0",
    ),
    ("log10 quick", "f32"): _read(
        "0x1.2f97d8p-5 -0x1.fba9c6p-5 0x1.0a6db4p-4 -0x1.26e6a6p-4",
        "0x1.62fd7ap-4 -0x1.bcbddap-4 0x1.287c6cp-3 -0x1.bcb7bp-3",
        "0x1.bcb7bp-2",
    ),
    ("log2 short", "f64"): _read(
        "0x1.5ce39e0f72792p-2 0x1.a58dceca72ce8p-2 0x1.27777f461993ep-1 0x1.ec709d13c0821p-1",
        "0x1.71547652bed13p+1",
    ),
    ("exp2 short", "f64"): _read(
        "0x1.4413896e1ad27p-13 0x1.5f0890162a90ap-10 0x1.3b2a53045179ap-7 0x1.c6af6cdbbdcc7p-5",
        "0x1.ebfbe00e63baep-3 0x1.62e4302fc626ep-1",
    ),
    ("log fifth", "f64"): _read(
        "0x1.0877e906b72d3p-4 0x1.1018bb6af787ep-4 0x1.3b18b888c578fp-4 0x1.745d09f1d2e07p-4",
        "0x1.c71c71d7e5cbbp-4 0x1.249249248e53bp-3 0x1.999999999999ep-3",
    ),
    ("sin", "f32"): _read(
        "0x1.61a18ap-19 -0x1.9fb686p-13 0x1.11104ep-7 -0x1.555554p-3",
    ),
    ("sin", "f64"): _read(
        "0x1.89a4866f527ebp-49 -0x1.ae5138c1216b3p-41 0x1.6124015b5ee3ap-33 -0x1.ae6455a1d7087p-26",
        "0x1.71de3a5456716p-19 -0x1.a01a01a018aadp-13 0x1.1111111111107p-7 -0x1.5555555555555p-3",
    ),
    ("sin short", "f32"): _read(
        "-0x1.9ac9bp-13 0x1.110c28p-7 -0x1.555552p-3",
    ),
    ("sin short", "f64"): _read(
        "0x1.5e0b19f8b1451p-33 -0x1.ae600b02b6262p-26 0x1.71de37968a1p-19 -0x1.a01a019e83aaep-13",
        "0x1.1111111110bb2p-7 -0x1.5555555555555p-3",
    ),
    ("cos short", "f32"): _read(
        "0x1.9bd89cp-16 -0x1.6c12d2p-10 0x1.555554p-5",
    ),
    ("cos short", "f64"): _read(
        "-0x1.907da367a37cbp-37 0x1.1eeb68e93b64cp-29 -0x1.27e4fa17da09ep-22 0x1.a01a019f4eb01p-16",
        "-0x1.6c16c16c16967p-10 0x1.5555555555555p-5",
    ),
    ("tan", "f32"): _read(
        "-0x1.885a3ap-4 -0x1.9475f4p-27",
    ),
    ("tan below", "f32"): _read(
        "0x1.3e4158p-7 -0x1.b76c0cp-2 0x1p+0",
    ),
    ("tan", "f64"): _read(
        "-0x1.f623188b9fab9p-18 0x1.6fc2ccff65541p-9 -0x1.06b8e56cae715p-3 0x1.1cdf62aa63dafp-56",
    ),
    ("tan below", "f64"): _read(
        "-0x1.b51c1058fa98cp-13 0x1.7e795155a2a2ep-6 -0x1.d8b1c80bac8b4p-2 0x1p+0",
    ),
    ("atan", "f32"): _read(
        "-0x1.08455ep-4 0x1.b8103p-4 -0x1.242036p-3 0x1.99973p-3",
        "-0x1.555554p-2",
    ),
    ("atan", "f64"): _read(
        "0x1.0ad36a455cafbp-6 -0x1.1b33b923aa954p-5 0x1.74ddd408bb4c1p-5 -0x1.ac7a938b69c93p-5",
        "0x1.e19a13b9fc6dfp-5 -0x1.110e880a7a521p-4 0x1.3b1392d9e785cp-4 -0x1.745d165df3f95p-4",
        "0x1.c71c71c304b68p-4 -0x1.249249248d7eep-3 0x1.9999999999953p-3 -0x1.5555555555555p-2",
    ),
    ("asin", "f32"): _read(
        "0x1.37fe16p-5 0x1.b311d2p-6 0x1.70a6bcp-5 0x1.332732p-4",
        "0x1.55555ep-3",
    ),
    ("asin", "f64"): _read(
        "0x1.cd864394d2ff2p-6 -0x1.603991d6060e1p-7 0x1.06b9d26d10839p-6 0x1.ff5fc4d14c734p-8",
        "0x1.8522ddffa6208p-7 0x1.c87265d47ef49p-7 0x1.1c593c7b1d958p-6 0x1.6e8b2b3b10be4p-6",
        "0x1.f1c71f95269afp-6 0x1.6db6db684b6a1p-5 0x1.3333333336da5p-4 0x1.555555555554fp-3",
    ),
    ("cbrt", "f32"): _read(
        "0x1.54619cp-7 -0x1.250bd2p-6 0x1.44aa62p-6 -0x1.7ee37p-6",
        "0x1.ed9836p-6 -0x1.5121dp-5 0x1.f9affp-5 -0x1.c71c7p-4",
        "0x1.555556p-2",
    ),
    ("cbrt", "f64"): _read(
        "0x1.e7e32756620c3p-8 -0x1.b8b393ff93a4p-7 0x1.d827aaac06aap-7 -0x1.0209c992c3e33p-6",
        "0x1.35fe4a646e0d3p-6 -0x1.809004e69512bp-6 0x1.ee7cbfb18441fp-6 -0x1.511eb269a479dp-5",
        "0x1.f9adc1ae1cad7p-5 -0x1.c71c719ac741dp-4 0x1.555555567792dp-2",
    ),
    ("erf", "f32"): _read(
        "0x1.4a569p-14 -0x1.a45088p-11 0x1.54127p-8 -0x1.b7fabap-6",
        "0x1.ce2d1p-4 -0x1.81273ep-2 0x1.06eba8p-3",
    ),
    ("erf", "f64"): _read(
        "-0x1.ac9585a44fe29p-31 0x1.d76af6ca49787p-27 -0x1.5c131500d3f88p-23 0x1.b981d78881a5dp-20",
        "-0x1.f4ca838adb73bp-17 0x1.f9a2be4f731a1p-14 -0x1.c02db0665e53dp-11 0x1.565bccfa44156p-8",
        "-0x1.b82ce31203772p-6 0x1.ce2f21a040f66p-4 -0x1.812746b0379c1p-2 0x1.06eba8214db68p-3",
    ),
    ("erfcx", "f32"): _read(
        "0x1.955878p-5 0x1.30c18ep-2 0x1.bb3da8p-1 0x1.5b29aap+0",
        "0x1.a077d4p-17",
    ),
    ("erfcx below", "f32"): _read(
        "0x1.673a5cp-4 0x1.0e15bap-1 0x1.940384p+0 0x1.55984p+1",
        "0x1.3e07b2p+1 0x1p+0",
    ),
    ("erfcx", "f64"): _read(
        "0x1.f778e26fb3304p-17 0x1.560820c24651cp-12 0x1.ca15cc1fe0e2p-9 0x1.88a3af3f1ea1cp-6",
        "0x1.d9529a9a4ed5p-4 0x1.a17968354e674p-2 0x1.106c54007b75p+0 0x1.04099322dbfffp+1",
        "0x1.5d043bc8e1702p+1 0x1.2c28a384a0dd5p+1 0x1.7d914e826607dp-45",
    ),
    ("erfcx below", "f64"): _read(
        "0x1.be30ccc2ff36ep-16 0x1.2f1e249b899e6p-11 0x1.96d6bf4d6506p-8 0x1.5e55f10bbf455p-5",
        "0x1.a9c98cae303cbp-3 0x1.7cb3f141c70b4p-1 0x1.fc4a3eef6bb9ap+0 0x1.f88686cc31eb7p+1",
        "0x1.6b991ad7ef67ap+2 0x1.69578fba7f3eap+2 0x1.bc975e06b6316p+1 0x1p+0",
    ),
    ("erfcx short", "f32"): _read(
        "-0x1.4aa1ep-15 0x1.10eep-2 0x1.912e6ap-1 0x1.043808p-9",
    ),
    ("erfcx short below", "f32"): _read(
        "0x1.e21b1p-2 0x1.67990ep+0 0x1.ec750ap+0 0x1p+0",
    ),
    ("erfcx short", "f64"): _read(
        "0x1.cb8bba6458127p-9 0x1.3b43de3e221f9p-5 0x1.a4da84ebb48e5p-3 0x1.52ea4b91ae96ep-1",
        "0x1.590b3771f0659p+0 0x1.a83fda823bf4ap+0 0x1.d536f7119b97dp-25",
    ),
    ("erfcx short below", "f64"): _read(
        "0x1.974306bad9909p-8 0x1.1765870ed6b6fp-4 0x1.78270d2bc673fp-2 0x1.35172edb68675p+0",
        "0x1.48ae5cae0da7ep+1 0x1.beda777df2c1dp+1 0x1.648eac9e36748p+1 0x1p+0",
    ),
}
